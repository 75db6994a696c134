/* A gomoku brain for Gomocup's protocol: alpha-beta over the rows of five cells that are still open to one side.
 *
 * Every row of five cells is counted: how many black and how many white stones it has. A row with stones of one colour
 * alone is worth something to that colour, more with each stone; the sum is the evaluation, kept up to date stone by stone.
 * A side that can make five does, one that must stop a five does, and such plies cost no depth. Free and standard rule.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_SIDE = 25, MAX_CELLS = MAX_SIDE * MAX_SIDE, MAX_ROWS = 4 * MAX_CELLS, MAX_PLY = 64, BRANCHES = 14 };
enum { BLACK, WHITE, EMPTY };
enum { WIN = 1000000, WON = WIN - 1000, INFINITE = 2 * WIN };

static const int WORTH[5] = {0, 1, 6, 36, 90};      /* of a row with so many stones, to its owner */
static const int ATTACK[5] = {1, 4, 24, 120, 4000}; /* of a move into a row with so many own stones, or others' */
static const int TEMPO = 15;

static int width, height, n_cells, n_rows, is_exact, n_moves;
static int colors[MAX_CELLS];
static int row_cells[MAX_ROWS][5], row_before[MAX_ROWS], row_after[MAX_ROWS];
static int rows_of[MAX_CELLS][20], n_rows_of[MAX_CELLS];
static int counts[MAX_ROWS][2];
static int worth[2];
static int n_fours[2]; /* rows of four stones of a colour with the fifth cell free */
static int near[MAX_CELLS];

static uint64_t keys[MAX_CELLS][2], hash;
typedef struct {
    uint64_t key;
    int score;
    int16_t move;
    int8_t depth, bound;
} Entry;
enum { TABLE = 1 << 18, EXACT = 0, LOWER = 1, UPPER = 2 };
static Entry table[TABLE];

static long timeout_turn = 1000, time_left = 2147483647, max_node = 0, max_depth = 0;
static long nodes;
static double deadline;
static int is_stopped;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1e3 + t.tv_nsec / 1e6;
}

/* ------------------------------------------------------------------------------------------- board */

static int cell_at(int x, int y)
{
    return x >= 0 && y >= 0 && x < width && y < height ? y * width + x : -1;
}

static void clear_board(void)
{
    static const int DX[4] = {1, 0, 1, -1}, DY[4] = {0, 1, 1, 1};
    uint64_t state = 88172645463325252ULL;
    n_cells = width * height;
    n_rows = n_moves = 0;
    for (int cell = 0; cell < n_cells; cell++) {
        colors[cell] = EMPTY;
        n_rows_of[cell] = near[cell] = 0;
        for (int color = 0; color < 2; color++) {
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            keys[cell][color] = state;
        }
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            for (int way = 0; way < 4; way++) {
                if (cell_at(x + 4 * DX[way], y + 4 * DY[way]) < 0)
                    continue;
                row_before[n_rows] = cell_at(x - DX[way], y - DY[way]);
                row_after[n_rows] = cell_at(x + 5 * DX[way], y + 5 * DY[way]);
                for (int i = 0; i < 5; i++) {
                    int cell = cell_at(x + i * DX[way], y + i * DY[way]);
                    row_cells[n_rows][i] = cell;
                    rows_of[cell][n_rows_of[cell]++] = n_rows;
                }
                n_rows++;
            }
    memset(counts, 0, sizeof counts);
    memset(worth, 0, sizeof worth);
    memset(n_fours, 0, sizeof n_fours);
    memset(table, 0, sizeof table);
    hash = 0;
}

/* Put a stone (step 1) or take it back (step -1). */
static void change(int cell, int color, int step)
{
    if (step > 0)
        colors[cell] = color;
    for (int i = 0; i < n_rows_of[cell]; i++) {
        int *count = counts[rows_of[cell][i]];
        int own = count[color], others = count[!color];
        if (!others) {
            if (own < 5)
                worth[color] -= WORTH[own];
            if (own + step < 5)
                worth[color] += WORTH[own + step];
            n_fours[color] += (own + step == 4) - (own == 4);
        } else if (step > 0 ? own == 0 : own == 1) {
            worth[!color] += step > 0 ? -WORTH[others % 5] : WORTH[others % 5];
            n_fours[!color] -= others == 4 ? step : 0;
        }
        count[color] += step;
    }
    if (step < 0)
        colors[cell] = EMPTY;
    hash ^= keys[cell][color];
    n_moves += step;
    int x = cell % width, y = cell / width;
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            int other = cell_at(x + dx, y + dy);
            if (other >= 0)
                near[other] += step;
        }
}

static int is_color(int cell, int color)
{
    return cell >= 0 && colors[cell] == color;
}

/* Whether a stone of `color` on the free `cell` makes five that count. */
static int makes_five(int cell, int color)
{
    for (int i = 0; i < n_rows_of[cell]; i++) {
        int row = rows_of[cell][i];
        if (counts[row][color] == 4 && !counts[row][!color]
            && !(is_exact && (is_color(row_before[row], color) || is_color(row_after[row], color))))
            return 1;
    }
    return 0;
}

static int find_five(int color)
{
    if (n_fours[color])
        for (int cell = 0; cell < n_cells; cell++)
            if (near[cell] && colors[cell] == EMPTY && makes_five(cell, color))
                return cell;
    return -1;
}

/* ------------------------------------------------------------------------------------------ search */

static int promise(int cell, int color)
{
    int sum = 0;
    for (int i = 0; i < n_rows_of[cell]; i++) {
        const int *count = counts[rows_of[cell][i]];
        if (!count[!color])
            sum += 2 * ATTACK[count[color] % 5];
        else if (!count[color])
            sum += ATTACK[count[!color] % 5];
    }
    return sum;
}

/* List the most promising free cells, best first; gives their number. */
static int list_moves(int color, int first, int *moves)
{
    int values[BRANCHES], n = 0;
    for (int cell = 0; cell < n_cells; cell++) {
        if (colors[cell] != EMPTY || !near[cell])
            continue;
        int value = cell == first ? INFINITE : promise(cell, color), at = n;
        if (n == BRANCHES && value <= values[n - 1])
            continue;
        if (n < BRANCHES)
            n++;
        else
            at = n - 1;
        for (; at > 0 && values[at - 1] < value; at--)
            values[at] = values[at - 1], moves[at] = moves[at - 1];
        values[at] = value, moves[at] = cell;
    }
    return n;
}

static int search(int color, int depth, int ply, int alpha, int beta)
{
    if ((++nodes & 255) == 0 && now() > deadline)
        is_stopped = 1;
    if (max_node && nodes >= max_node)
        is_stopped = 1;
    if (is_stopped)
        return 0;
    if (n_moves == n_cells)
        return 0;
    if (find_five(color) >= 0)
        return WIN - ply;
    int forced = find_five(!color);
    if (forced >= 0)
        depth++;
    if (depth <= 0 || ply >= MAX_PLY)
        return worth[color] - worth[!color] + TEMPO;
    uint64_t key = hash ^ (color ? 0x9E3779B97F4A7C15ULL : 0);
    Entry *entry = &table[key & (TABLE - 1)];
    int first = -1, best = -INFINITE, best_move = -1, old_alpha = alpha;
    if (entry->key == key) {
        first = entry->move;
        if (entry->depth >= depth && abs(entry->score) < WON
            && (entry->bound == EXACT || (entry->bound == LOWER ? entry->score >= beta : entry->score <= alpha)))
            return entry->score;
    }
    int moves[BRANCHES], n = 1;
    if (forced >= 0)
        moves[0] = forced;
    else
        n = list_moves(color, first, moves);
    for (int i = 0; i < n; i++) {
        change(moves[i], color, 1);
        int score = -search(!color, depth - 1, ply + 1, -beta, -alpha);
        change(moves[i], color, -1);
        if (is_stopped)
            return 0;
        if (score > best)
            best = score, best_move = moves[i];
        if (best > alpha)
            alpha = best;
        if (alpha >= beta)
            break;
    }
    if (best_move < 0)
        return 0;
    *entry = (Entry){key, best, (int16_t)best_move, (int8_t)depth,
                     (int8_t)(best >= beta ? LOWER : best <= old_alpha ? UPPER : EXACT)};
    return best;
}

/* Choose a move for the side to move. */
static int choose(int color)
{
    double began = now();
    long limit = timeout_turn, share = time_left / 25;
    if (time_left < 2147483647 && share < limit)
        limit = share;
    deadline = began + (limit > 40 ? limit * 0.8 - 10 : limit * 0.5);
    nodes = is_stopped = 0;
    if (!n_moves)
        return cell_at(width / 2, height / 2);
    int five = find_five(color), forced = find_five(!color);
    if (five >= 0)
        return five;
    int moves[BRANCHES], n = 1, score = 0, reached = 0;
    if (forced >= 0)
        moves[0] = forced;
    else
        n = list_moves(color, -1, moves);
    if (!n) /* nothing free nearby */
        for (int cell = 0; cell < n_cells; cell++)
            if (colors[cell] == EMPTY)
                return cell;
    int best_move = moves[0];
    for (int depth = 1; n > 1 && depth <= (max_depth ? max_depth : 30) && !is_stopped; depth++) {
        int best = -INFINITE, at = 0;
        for (int i = 0; i < n; i++) {
            change(moves[i], color, 1);
            int value = -search(!color, depth - 1, 1, -INFINITE, -best);
            change(moves[i], color, -1);
            if (is_stopped)
                break;
            if (value > best)
                best = value, at = i;
        }
        if (best == -INFINITE)
            break;
        int move = moves[at];
        for (; at > 0; at--)
            moves[at] = moves[at - 1];
        moves[0] = best_move = move;
        score = best;
        reached = depth;
        if (abs(best) > WON || now() - began > 0.4 * limit)
            break;
    }
    if (abs(score) > WON)
        printf("MESSAGE depth %d ev %cM%d nodes %ld\r\n", reached, score > 0 ? '+' : '-', (WIN - abs(score) + 1) / 2, nodes);
    else
        printf("MESSAGE depth %d ev %d nodes %ld\r\n", reached, score, nodes);
    return best_move;
}

/* ---------------------------------------------------------------------------------------- protocol */

static void answer(void)
{
    int color = n_moves & 1, cell = is_exact < 0 || n_moves == n_cells ? -1 : choose(color);
    if (cell < 0) {
        puts(is_exact < 0 ? "ERROR no renju\r" : "ERROR no free cell\r");
        return;
    }
    change(cell, color, 1);
    printf("%d,%d\r\n", cell % width, cell / width);
}

static int start(int w, int h)
{
    if (w < 5 || h < 5 || w > MAX_SIDE || h > MAX_SIDE)
        return 0;
    width = w, height = h;
    clear_board();
    return 1;
}

static void info(const char *text)
{
    long value;
    char key[32];
    if (sscanf(text, "%31s %ld", key, &value) != 2)
        return;
    if (!strcmp(key, "timeout_turn"))
        timeout_turn = value;
    else if (!strcmp(key, "time_left"))
        time_left = value;
    else if (!strcmp(key, "max_node"))
        max_node = value;
    else if (!strcmp(key, "max_depth"))
        max_depth = value;
    else if (!strcmp(key, "rule"))
        is_exact = value == 4 ? -1 : (int)(value & 1);
}

/* Read the stones of a BOARD, own ones marked 1; colours follow from their number, since Black begins. */
static void read_board(void)
{
    char line[256];
    int cells[MAX_CELLS], marks[MAX_CELLS], n = 0, n_own = 0, x, y, mark;
    while (fgets(line, sizeof line, stdin) && strncmp(line, "DONE", 4))
        if (sscanf(line, "%d,%d,%d", &x, &y, &mark) == 3 && cell_at(x, y) >= 0 && n < MAX_CELLS)
            cells[n] = cell_at(x, y), marks[n] = mark, n_own += mark == 1, n++;
    int mine = n_own * 2 == n ? BLACK : WHITE;
    clear_board();
    for (int i = 0; i < n; i++)
        change(cells[i], marks[i] == 1 ? mine : !mine, 1);
    answer();
}

/* Swap2 with the least that it takes: three stones that are about level, then the better colour. */
static void read_swap2(void)
{
    char line[256];
    int x, y, n = 0;
    clear_board();
    while (fgets(line, sizeof line, stdin) && strncmp(line, "DONE", 4))
        if (sscanf(line, "%d,%d", &x, &y) == 2 && cell_at(x, y) >= 0)
            change(cell_at(x, y), n++ & 1, 1);
    x = width / 2, y = height / 2;
    int far = width > 8 && height > 8 ? 4 : 2;
    if (!n)
        printf("%d,%d %d,%d %d,%d\r\n", x, y, x + 1, y + 1, x + far, y + far);
    else if (worth[BLACK] - worth[WHITE] > TEMPO)
        puts("SWAP\r");
    else
        answer();
}

int main(void)
{
    char line[256];
    int x, y;
    start(20, 20);
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "TURN %d,%d", &x, &y) == 2) {
            if (cell_at(x, y) < 0 || colors[cell_at(x, y)] != EMPTY)
                puts("ERROR that cell is not free\r");
            else
                change(cell_at(x, y), n_moves & 1, 1), answer();
        } else if (!strncmp(line, "INFO ", 5)) {
            info(line + 5);
        } else if (sscanf(line, "START %d", &x) == 1) {
            puts(is_exact < 0 ? "ERROR no renju\r" : start(x, x) ? "OK\r" : "ERROR sides of 5 to 25\r");
        } else if (sscanf(line, "RECTSTART %d,%d", &x, &y) == 2) {
            puts(is_exact < 0 ? "ERROR no renju\r" : start(x, y) ? "OK\r" : "ERROR sides of 5 to 25\r");
        } else if (!strncmp(line, "RESTART", 7)) {
            clear_board();
            puts("OK\r");
        } else if (!strncmp(line, "BEGIN", 5)) {
            answer();
        } else if (!strncmp(line, "BOARD", 5)) {
            read_board();
        } else if (!strncmp(line, "SWAP2BOARD", 10)) {
            read_swap2();
        } else if (!strncmp(line, "ABOUT", 5)) {
            puts("name=\"gomoku_c\", version=\"1\"\r");
        } else if (!strncmp(line, "END", 3)) {
            break;
        } else {
            puts("UNKNOWN\r");
        }
        fflush(stdout);
    }
    return 0;
}
