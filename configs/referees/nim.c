/* A referee for 4-heap Nim, as small as one can be: for examples, tests and the benchmark of referees.
 *
 *   nim -p1 "CMD" -p2 "CMD" [-p3 … -p8 …] [-d seed=N]     cg-brutaltester's new mode: starts the bots, prints the result
 *   nim --old                                              its old mode: speaks ###Seed, ###Start, ###Input, ###Output
 *
 * A turn sends a bot the heaps in one line ("3 0 5 2") and reads heap and number ("2 5"). Who takes the last object
 * wins. Two play; with more, who breaks the rules is out and the rest play on. Commands are split at single blanks, as
 * CodinGame's SDK does.
 */
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { HEAPS = 4, MOST_SEATS = 8, MOST_WORDS = 64 };
extern char **environ;

typedef struct {
    pid_t pid;
    FILE *in, *out;
} Bot;

static int is_old;

static unsigned long long next_random(unsigned long long *state) { /* splitmix64 */
    unsigned long long z = (*state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static void make_map(long long seed, int *heaps) {
    unsigned long long state = (unsigned long long)seed;
    for (int i = 0; i < HEAPS; i++) heaps[i] = 1 + (int)(next_random(&state) % 9);
}

static int start(Bot *bot, char *command) {
    char *words[MOST_WORDS + 1];
    int n = 0, to[2], from[2];
    for (char *word = strtok(command, " "); word && n < MOST_WORDS; word = strtok(NULL, " ")) words[n++] = word;
    words[n] = NULL;
    if (pipe(to) || pipe(from)) return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, to[0], 0);
    posix_spawn_file_actions_adddup2(&actions, from[1], 1);
    int ends[] = {to[0], to[1], from[0], from[1]};
    for (int i = 0; i < 4; i++)
        if (ends[i] > 2) posix_spawn_file_actions_addclose(&actions, ends[i]);
    int error = posix_spawnp(&bot->pid, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(to[0]);
    close(from[1]);
    if (error) {
        fprintf(stderr, "Cannot run program \"%s\": %s\n", words[0], strerror(error));
        return -1;
    }
    bot->in = fdopen(to[1], "w");
    bot->out = fdopen(from[0], "r");
    return 0;
}

/* Give a bot the heaps and read its line; 0 if it gives none. */
static int ask(Bot *bots, int seat, const int *heaps, char *line, int size) {
    if (is_old) {
        printf("###Input %d\n%d %d %d %d\n###Output %d 1\n", seat, heaps[0], heaps[1], heaps[2], heaps[3], seat);
        fflush(stdout);
        return fgets(line, size, stdin) != NULL;
    }
    fprintf(bots[seat].in, "%d %d %d %d\n", heaps[0], heaps[1], heaps[2], heaps[3]);
    fflush(bots[seat].in);
    return fgets(line, size, bots[seat].out) != NULL;
}

/* Play; places[seat] is 0 for the winner, 1 for the rest, 2 for who broke the rules. */
static void play(Bot *bots, int n_seats, int *heaps, int *places) {
    int left = n_seats, winner = 0, total = 0;
    for (int i = 0; i < HEAPS; i++) total += heaps[i];
    for (int seat = 0; seat < n_seats; seat++) places[seat] = 1;
    for (int turn = 0; total > 0 && left > 1; turn++) {
        int seat = turn % n_seats, heap, number;
        char line[256];
        if (places[seat] == 2) continue;
        if (!ask(bots, seat, heaps, line, sizeof line) || sscanf(line, "%d %d", &heap, &number) != 2 || heap < 0 ||
            heap >= HEAPS || number < 1 || number > heaps[heap]) {
            places[seat] = 2;
            left--;
            continue;
        }
        heaps[heap] -= number;
        total -= number;
        winner = seat;
    }
    for (int seat = 0; left == 1 && seat < n_seats; seat++)
        if (places[seat] != 2) winner = seat;
    places[winner] = 0;
}

#ifdef STAMPS /* for the benchmark: when the games began and ended, 16 bytes each */
#include <fcntl.h>
#include <time.h>
static long long stamps[2];
static void stamp(int which) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    stamps[which] = now.tv_sec * 1000000000LL + now.tv_nsec;
    if (which == 1) {
        int file = open(getenv("NIM_STAMPS"), O_WRONLY | O_APPEND | O_CREAT, 0644);
        if (write(file, stamps, sizeof stamps) != sizeof stamps) _exit(9);
    }
}
#else
static void stamp(int which) { (void)which; }
#endif

static int play_old(void) {
    char line[256];
    long long seed = 1;
    int heaps[HEAPS], places[MOST_SEATS], n_seats = 2;
    while (fgets(line, sizeof line, stdin)) {
        if (sscanf(line, "###Seed %lld", &seed) == 1) continue;
        if (sscanf(line, "###Start %d", &n_seats) == 1) break;
    }
    if (n_seats > MOST_SEATS) return 2;
    fprintf(stderr, "seed=%lld\n", seed);
    make_map(seed, heaps);
    play(NULL, n_seats, heaps, places);
    stamp(1); /* a runner may end it as soon as it has said the places */
    printf("###End");
    for (int place = 0; place < 3; place++)
        for (int seat = 0, n = 0; seat < n_seats; seat++)
            if (places[seat] == place) printf(n++ ? "%d" : " %d", seat);
    printf("\n");
    return 0;
}

int main(int argc, char **argv) {
    Bot bots[MOST_SEATS];
    int heaps[HEAPS], places[MOST_SEATS], n_seats = 0;
    long long seed = (long long)getpid();
    signal(SIGPIPE, SIG_IGN);
    stamp(0);
    if (argc > 1 && !strcmp(argv[1], "--old")) {
        is_old = 1;
        return play_old();
    }
    for (int i = 1; i + 1 < argc; i += 2) {
        if (!strcmp(argv[i], "-d")) sscanf(argv[i + 1], "seed=%lld", &seed);
        if (argv[i][0] == '-' && argv[i][1] == 'p' && n_seats < MOST_SEATS && start(&bots[n_seats++], argv[i + 1])) return 1;
    }
    if (n_seats < 2) {
        fprintf(stderr, "usage: nim -p1 CMD -p2 CMD [-d seed=N], or nim --old\n");
        return 2;
    }
    make_map(seed, heaps);
    int map[HEAPS];
    memcpy(map, heaps, sizeof map);
    play(bots, n_seats, heaps, places);
    for (int seat = 0; seat < n_seats; seat++) fclose(bots[seat].in);
    for (int seat = 0; seat < n_seats; seat++) waitpid(bots[seat].pid, NULL, 0);
    for (int seat = 0; seat < n_seats; seat++) printf("%d\n", places[seat] == 2 ? -1 : places[seat] == 0);
    printf("seed=%lld\nheaps=%d %d %d %d\n\n", seed, map[0], map[1], map[2], map[3]);
    stamp(1);
    return 0;
}
