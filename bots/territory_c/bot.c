/* The territory bot in C: the same moves as ../territory, at a seventh of the cost.
 *
 * It moves to where its lead in territory (the cells it reaches before anyone else) is biggest. All cycles spread
 * step by step at the same time, each from a list of the cells that it reached in the last step.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SIDE = 100, MAX_PLAYERS = 4, MAX_CELLS = (MAX_SIDE + 1) * (MAX_SIDE + 2) };
enum { FREE = 0, WALL = 255 }; /* a trail is 1 + its player */

static const char *const NAMES[4] = {"UP", "RIGHT", "DOWN", "LEFT"}; /* clockwise: turning right is one further */
static const int TIE_BREAK[4] = {0, 1, 3, 2};                        /* straight on, right, left, back */

static int width, height, stride, at_once;
static int steps[4];
static unsigned char board[MAX_CELLS]; /* a wall cell between two rows, a wall row above and below */
static int n_players, me, heads[MAX_PLAYERS], is_alive[MAX_PLAYERS];

static int cell_at(int x, int y) { return (y + 1) * stride + x; }

static void set_board(int new_width, int new_height) {
    width = new_width, height = new_height, stride = width + 1;
    steps[0] = -stride, steps[1] = 1, steps[2] = stride, steps[3] = -1;
    memset(board, WALL, sizeof board);
    for (int y = 0; y < height; ++y) memset(board + cell_at(0, y), FREE, (size_t)width);
}

/* The rest of a line is not needed: fields are read one by one. A missing field ends the program: the game is over. */
static int read_int(void) {
    int value;
    if (scanf("%d", &value) != 1) exit(0);
    return value;
}

static void read_header(void) {
    char turns[16];
    int new_width = read_int(), new_height = read_int();
    if (new_width < 1 || new_width > MAX_SIDE || new_height < 1 || new_height > MAX_SIDE || scanf("%15s", turns) != 1) {
        fprintf(stderr, "cannot play on a board of %d x %d: at most %d a side\n", new_width, new_height, MAX_SIDE);
        exit(2);
    }
    set_board(new_width, new_height);
    at_once = strcmp(turns, "simultaneous") == 0;
    for (int n_obstacles = read_int(); n_obstacles > 0; --n_obstacles) {
        int x = read_int(), y = read_int();
        board[cell_at(x, y)] = WALL;
    }
}

static void read_turn(void) {
    char word[16];
    if (scanf("%15s", word) != 1) exit(0);
    if (strcmp(word, "board") == 0) { /* only before the first turn, on another board than the contest's */
        read_header();
        n_players = read_int();
    } else {
        n_players = atoi(word);
    }
    me = read_int();
    for (int player = 0; player < n_players; ++player) {
        int tail_x = read_int(), tail_y = read_int(), x = read_int(), y = read_int();
        int was_alive = is_alive[player];
        is_alive[player] = x >= 0;
        if (is_alive[player]) {
            heads[player] = cell_at(x, y);
            board[cell_at(tail_x, tail_y)] = board[heads[player]] = (unsigned char)(1 + player);
        } else if (was_alive) { /* out: its trail is gone */
            for (int cell = 0; cell < MAX_CELLS; ++cell)
                if (board[cell] == 1 + player) board[cell] = FREE;
        }
    }
}

/* Count the cells that are mine if I move to `first`, less those of the strongest opponent. */
static int lead(int first) {
    static int front[MAX_PLAYERS][MAX_CELLS], next[MAX_PLAYERS][MAX_CELLS];
    static long long reached_in[MAX_CELLS];     /* the step in which a cell was reached first */
    static unsigned char reached_by[MAX_CELLS]; /* by whom in that step, a bit a player */
    static long long step = 0;                  /* counts on from call to call, so that nothing has to be cleared */
    const long long before = step;
    int n_front[MAX_PLAYERS] = {0}, n_cells[MAX_PLAYERS] = {0}, most = 0;

    for (int player = 0; player < n_players; ++player)
        if (is_alive[player]) front[player][n_front[player]++] = heads[player];
    for (int n_reached = 1; n_reached > 0;) {
        int n_next[MAX_PLAYERS] = {0};
        n_reached = 0;
        ++step;
        for (int i = 0; i < n_players; ++i) { /* in turn, the others move after me in this order */
            int player = (me + i) % n_players;
            unsigned char bit = (unsigned char)(1 << player);
            for (int k = 0; k < n_front[player]; ++k) {
                for (int way = 0; way < 4; ++way) {
                    int cell = front[player][k] + steps[way];
                    if (step == before + 1 && player == me && cell != first) continue;
                    if (board[cell] != FREE) continue;
                    if (reached_in[cell] <= before) {
                        reached_in[cell] = step;
                        reached_by[cell] = bit;
                    } else if (at_once && reached_in[cell] == step && !(reached_by[cell] & bit)) {
                        reached_by[cell] |= bit;
                    } else {
                        continue;
                    }
                    next[player][n_next[player]++] = cell;
                }
            }
        }
        for (int player = 0; player < n_players; ++player) {
            for (int k = 0; k < n_next[player]; ++k) /* reached by two at the same time: nobody's */
                n_cells[player] += reached_by[next[player][k]] == 1 << player;
            memcpy(front[player], next[player], (size_t)n_next[player] * sizeof(int));
            n_front[player] = n_next[player];
            n_reached += n_next[player];
        }
    }
    for (int player = 0; player < n_players; ++player)
        if (player != me && n_cells[player] > most) most = n_cells[player];
    return n_cells[me] - most;
}

/* The direction in which the centre lies; of two equal ones the first in clockwise order. */
static int to_centre(void) {
    int x = heads[me] % stride, y = heads[me] / stride - 1;
    int right = width - 1 - 2 * x, down = height - 1 - 2 * y;
    int towards[4] = {-down, right, down, -right}, best = 0;
    for (int way = 1; way < 4; ++way) {
        int gain = towards[way] - towards[best];
        if (gain > 0 || (gain == 0 && towards[(way + 1) % 4] > towards[(best + 1) % 4])) best = way;
    }
    return best;
}

int main(void) {
    int heading = -1;
    set_board(30, 20); /* the contest's */
    for (;;) {
        read_turn();
        if (heading < 0) heading = to_centre();
        int best = heading, best_lead = 0, found = 0;
        for (int i = 0; i < 4; ++i) {
            int way = (heading + TIE_BREAK[i]) % 4, cell = heads[me] + steps[way];
            if (board[cell] != FREE) continue;
            int its_lead = lead(cell);
            if (!found || its_lead > best_lead) best = way, best_lead = its_lead, found = 1;
        }
        heading = best;
        puts(NAMES[heading]);
        fflush(stdout);
    }
}
