/* The faults that Python is too slow or too high for: a light-cycles bot in C that plays well but for one of them.
 *
 *     misbehave FAULT PLY TAG
 *
 * It does FAULT at its own ply PLY, counted from 0. Bombs have a last generation and everything ends by itself after
 * two minutes; TAG is only there to be on the command line of all that is started.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LONG_S = 120, MAX_SIDE = 100, MAX_PLAYERS = 4 };

static const char *const NAMES[4] = {"UP", "RIGHT", "DOWN", "LEFT"};
static const int DX[4] = {0, 1, 0, -1}, DY[4] = {-1, 0, 1, 0};
static int width = 30, height = 20;
static char taken[MAX_SIDE][MAX_SIDE];
static char **arguments;

static double seconds_of(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* Take so much CPU time, however long that lasts. */
static void burn(double seconds) {
    for (double end = seconds_of(CLOCK_THREAD_CPUTIME_ID) + seconds; seconds_of(CLOCK_THREAD_CPUTIME_ID) < end;) {
    }
}

static void *burn_thread(void *unused) {
    burn(LONG_S);
    return unused;
}

static void ignore_signals(void) {
    for (int number = 1; number < NSIG; ++number)
        if (number != SIGCHLD) signal(number, SIG_IGN);
}

static void be_quiet(void) {
    int null = open("/dev/null", O_RDWR);
    for (int descriptor = 0; descriptor < 3; ++descriptor) dup2(null, descriptor);
}

/* A daemon that hands itself on to a new process again and again, so that every look at it is too late. */
static void hydra(void) {
    if (fork()) return;
    ignore_signals();
    be_quiet();
    for (double end = seconds_of(CLOCK_MONOTONIC) + LONG_S; seconds_of(CLOCK_MONOTONIC) < end;) {
        setsid();
        if (fork()) _exit(0);
        usleep(500);
    }
    _exit(0);
}

/* As hydra, with an empty environment: nothing on it says whose it is. */
static void bare_daemon(void) {
    if (fork()) return;
    setsid();
    if (fork()) _exit(0);
    ignore_signals();
    be_quiet();
    char *words[] = {arguments[0], (char *)"sleep", (char *)"0", arguments[3], NULL}, *nothing[] = {NULL};
    execve(arguments[0], words, nothing);
    _exit(1);
}

/* All that a process of one's own user can do to its marks: environment, session, name, limits. */
static void forger(void) {
    if (fork()) return;
    setsid();
    if (fork()) _exit(0);
    be_quiet();
    struct rlimit nothing = {0, 0};
    setrlimit(RLIMIT_LOCKS, &nothing);
    prctl(PR_SET_NAME, "kworker/0:1");
    char *words[] = {arguments[0], (char *)"sleep", (char *)"0", arguments[3], NULL}, *empty[] = {NULL};
    execve(arguments[0], words, empty);
    _exit(1);
}

static void fork_bomb(void) {
    for (int generation = 0; generation < 11; ++generation) fork();
    sleep(LONG_S);
    _exit(0);
}

/* The same, each in a session of its own. */
static void session_bomb(void) {
    for (int generation = 0; generation < 9; ++generation)
        if (!fork()) setsid();
    sleep(LONG_S);
    _exit(0);
}

/* Allocate and use so much, in a way that no compiler leaves out. */
static void take(size_t size) {
    volatile char *memory = malloc(size);
    if (memory == NULL) abort();
    for (size_t at = 0; at < size; at += 4096) memory[at] = 1;
}

static void memory_bomb(void) {
    for (int block = 0; block < 32; ++block) take(32 << 20);
    sleep(LONG_S);
}

/* One process that itself stays small has children that share the bomb. */
static void shared_bomb(void) {
    for (int child = 0; child < 8; ++child)
        if (!fork()) {
            take(96 << 20);
            sleep(LONG_S);
            _exit(0);
        }
    sleep(LONG_S);
}

static void misbehave(const char *fault) {
    pthread_t thread;
    if (!strcmp(fault, "hydra")) hydra();
    if (!strcmp(fault, "bare-daemon")) bare_daemon();
    if (!strcmp(fault, "forger")) forger();
    if (!strcmp(fault, "fork-bomb")) fork_bomb();
    if (!strcmp(fault, "session-bomb")) session_bomb();
    if (!strcmp(fault, "memory-bomb")) memory_bomb();
    if (!strcmp(fault, "shared-bomb")) shared_bomb();
    if (!strcmp(fault, "spin")) burn(LONG_S);
    if (!strcmp(fault, "stop-parent")) kill(getppid(), SIGSTOP);
    if (!strcmp(fault, "burn-behind") && !fork()) setsid(), burn(LONG_S), _exit(0);
    if (!strcmp(fault, "sleep")) sleep(LONG_S);
    if (!strncmp(fault, "threads-", 8)) {
        for (int count = atoi(fault + 8); count > 1; --count) pthread_create(&thread, NULL, burn_thread, NULL);
        burn(LONG_S);
    }
}

/* So many milliseconds of work or of sleep before every answer. */
static void think(const char *fault) {
    if (!strncmp(fault, "work-", 5)) burn(atof(fault + 5) / 1000);
    if (!strncmp(fault, "pause-", 6)) usleep((useconds_t)(atof(fault + 6) * 1000));
}

static int read_int(void) {
    int value;
    if (scanf("%d", &value) != 1) exit(0);
    return value;
}

static int read_turn(int *x, int *y) {
    char word[16];
    if (scanf("%15s", word) != 1) return 0;
    if (!strcmp(word, "board")) {
        width = read_int(), height = read_int();
        if (scanf("%15s", word) != 1) return 0;
        for (int count = read_int(); count > 0; --count) {
            int column = read_int(), row = read_int();
            taken[row][column] = 1;
        }
        if (scanf("%15s", word) != 1) return 0;
    }
    int n_players = atoi(word), me = read_int();
    for (int player = 0; player < n_players; ++player) {
        int tail_x = read_int(), tail_y = read_int(), head_x = read_int(), head_y = read_int();
        if (head_x < 0) continue;
        taken[tail_y][tail_x] = taken[head_y][head_x] = 1;
        if (player == me) *x = head_x, *y = head_y;
    }
    return 1;
}

int main(int count, char **words) {
    if (count != 4) {
        fprintf(stderr, "usage: misbehave FAULT PLY TAG\n");
        return 2;
    }
    arguments = words;
    if (!strcmp(words[1], "ignore-all")) { /* not even the end of its input ends it */
        ignore_signals();
        sleep(LONG_S);
    }
    if (!strcmp(words[1], "sleep") && atoi(words[2]) == 0) { /* what `bare_daemon` becomes */
        sleep(LONG_S);
        return 0;
    }
    for (int ply = 0, x = 0, y = 0; read_turn(&x, &y); ++ply) {
        if (ply == atoi(words[2])) misbehave(words[1]);
        if (ply >= atoi(words[2])) think(words[1]);
        int best = 0;
        for (int way = 3; way >= 0; --way) {
            int column = x + DX[way], row = y + DY[way];
            if (column >= 0 && row >= 0 && column < width && row < height && !taken[row][column]) best = way;
        }
        printf("%s\n", NAMES[best]);
        fflush(stdout);
    }
    return 0;
}
