/* A UCI engine that answers at once, from a script: what a runner costs when its engines cost nothing.
 *
 *     cc -O2 -o stub_engine stub_engine.c
 *     ./stub_engine 8                  both sides play the 8-ply line below, which ends in mate
 *     ./stub_engine 100 3              the 100-ply line, with 3 info lines before each bestmove (default 1)
 *     ./stub_engine 8 1 times.txt      at its end it adds a line to times.txt: see `write_times`
 *
 * It knows no chess. The move is found from the number of plies played, so a runner may send the whole game
 * from the start position or a FEN and the moves since. Asked past its line's end it answers "bestmove 0000",
 * which every runner takes for a fault: a wrong count can't pass unseen.
 * Plain read() and write(), one write an answer, so that no stdio buffer hides or adds a system call.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* tests/benchmarks/test_stub_lines.py reads these two strings and plays them by the rules. */
static const char LINE_8[] = "e2e4 e7e5 b1c3 f8c5 a2a3 d8h4 c3b5 h4f2";

static const char LINE_100[] =
    "e2e3 b8a6 f1e2 f7f5 e2d3 d7d6 d3e2 e7e5 e2a6 b7a6 "
    "d2d4 d8g5 d1f3 a8b8 g1h3 g5h6 b1c3 h6g6 d4e5 d6e5 "
    "f3g3 g6g3 h2g3 c8b7 e3e4 g8f6 c1d2 b7e4 c3e4 f6e4 "
    "b2b3 b8d8 d2a5 d8d5 b3b4 f8e7 a2a3 e8d7 c2c4 d5d6 "
    "c4c5 d6d4 a1c1 d7c6 h3g1 e7g5 c1c2 e4f6 a3a4 h8d8 "
    "g1f3 d4d1 e1e2 d1h1 b4b5 a6b5 a5b4 f6g4 f3g5 d8b8 "
    "a4a5 b8e8 a5a6 h7h5 b4a3 h1a1 g5e6 a1a3 e6g5 g4h2 "
    "g5h7 e8h8 c2b2 h8h7 b2b1 a3a2 e2e1 g7g5 b1d1 h2g4 "
    "f2f3 g4f6 f3f4 e5f4 g3f4 f6d5 d1d2 h7e7 e1d1 d5c3 "
    "d1c1 e7e1 d2d1 c3e2 c1b1 e2c3 b1c1 c3d1 g2g3 d1e3";

enum { MAX_PLIES = 100, MAX_INFOS = 1000, INPUT_BYTES = 1 << 16 };

static const char INFO[] = "info depth 1 score cp 10\n";

static char answers[MAX_PLIES + 1][32]; /* "bestmove e2e4\n" of each ply, and one for a ply past the end */
static int n_plies;
static char *go_answer; /* the info lines, with room for a bestmove behind them */
static size_t info_bytes;

static const char *times_path; /* NULL: write no times */
static int64_t first_ns, last_ns;
static long n_go;

static void fail(const char *why)
{
    fprintf(stderr, "stub_engine: %s\nusage: stub_engine 8|100 [info lines, 0 to 1000] [times file]\n", why);
    exit(2);
}

static void answer(const char *text, size_t length)
{
    while (length > 0) {
        ssize_t n = write(STDOUT_FILENO, text, length);
        if (n < 0) {
            if (errno == EINTR)
                continue;
            exit(1); /* nobody reads us any more */
        }
        text += n;
        length -= (size_t)n;
    }
}

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Add "FIRST LAST COUNT\n" to the times file: the monotonic clock in ns at the first ucinewgame (or go) and at
 * the last go, and how often go came. Taken here, where every runner is seen alike, so that their start, their
 * end and what they say of themselves are left out of the time they need for a ply. One write in append mode:
 * several stubs may share a file. */
static void write_times(void)
{
    char line[96];
    int length = snprintf(line, sizeof line, "%lld %lld %ld\n", (long long)first_ns, (long long)last_ns, n_go);
    int file = open(times_path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (file < 0 || write(file, line, (size_t)length) != length)
        fail("the times file can't be written");
}

/* Fill `answers` from a line of moves that are separated by single spaces. */
static void load_line(const char *line)
{
    while (*line != '\0') {
        int length = (int)strcspn(line, " ");
        snprintf(answers[n_plies++], sizeof answers[0], "bestmove %.*s\n", length, line);
        line += length;
        line += *line == ' ';
    }
    snprintf(answers[n_plies], sizeof answers[0], "bestmove 0000\n");
}

static void load_infos(const char *count_text)
{
    char *end;
    long count = strtol(count_text, &end, 10);
    if (*count_text == '\0' || *end != '\0' || count < 0 || count > MAX_INFOS)
        fail("the number of info lines is not a whole number from 0 to 1000");
    info_bytes = (size_t)count * (sizeof INFO - 1);
    go_answer = malloc(info_bytes + sizeof answers[0]);
    if (go_answer == NULL)
        fail("out of memory");
    for (long i = 0; i < count; i++)
        memcpy(go_answer + (size_t)i * (sizeof INFO - 1), INFO, sizeof INFO - 1);
}

/* Plies played before the FEN: its second field is the side to move, its sixth the number of the move. */
static int plies_before_fen(const char *fen)
{
    const char *side = strchr(fen, ' ');
    const char *field = side;
    for (int i = 0; i < 4 && field != NULL; i++)
        field = strchr(field + 1, ' ');
    if (field == NULL)
        return MAX_PLIES; /* not a FEN: answered with 0000 */
    return 2 * (atoi(field + 1) - 1) + (side[1] == 'b');
}

/* Plies played so far by "position startpos|fen FEN [moves M1 M2 ...]". */
static int plies_played(const char *position)
{
    int plies = 0;
    if (strncmp(position, "position fen ", 13) == 0)
        plies = plies_before_fen(position + 13);
    const char *moves = strstr(position, " moves");
    for (const char *c = moves == NULL ? "" : moves + 6; *c != '\0'; c++)
        plies += *c == ' ' && c[1] != ' ' && c[1] != '\0';
    return plies;
}

static void go(int ply)
{
    last_ns = now_ns();
    if (n_go++ == 0 && first_ns == 0)
        first_ns = last_ns;
    const char *best = answers[ply < 0 || ply > n_plies ? n_plies : ply];
    size_t length = strlen(best);
    memcpy(go_answer + info_bytes, best, length);
    answer(go_answer, info_bytes + length);
}

static void finish(int status)
{
    if (times_path != NULL)
        write_times();
    exit(status);
}

static void obey(const char *line)
{
    static int ply;
    static const char hello[] = "id name stub\nid author harness\nuciok\n";
    static const char ready[] = "readyok\n";

    if (strncmp(line, "position ", 9) == 0)
        ply = plies_played(line);
    else if (strcmp(line, "go") == 0 || strncmp(line, "go ", 3) == 0)
        go(ply);
    else if (strcmp(line, "isready") == 0)
        answer(ready, sizeof ready - 1);
    else if (strcmp(line, "ucinewgame") == 0) {
        ply = 0;
        if (first_ns == 0)
            first_ns = now_ns();
    } else if (strcmp(line, "uci") == 0)
        answer(hello, sizeof hello - 1);
    else if (strcmp(line, "quit") == 0)
        finish(0);
    /* "stop" has nothing to stop: each go was answered at once. setoption and the rest need no answer. */
}

int main(int argc, char **argv)
{
    static char input[INPUT_BYTES + 1];
    size_t held = 0;

    if (argc < 2 || argc > 4)
        fail("expected the line to play");
    if (strcmp(argv[1], "8") == 0)
        load_line(LINE_8);
    else if (strcmp(argv[1], "100") == 0)
        load_line(LINE_100);
    else
        fail("no such line");
    load_infos(argc > 2 ? argv[2] : "1");
    times_path = argc > 3 ? argv[3] : NULL;

    for (;;) {
        ssize_t n = read(STDIN_FILENO, input + held, INPUT_BYTES - held);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            finish(n < 0);
        held += (size_t)n;
        input[held] = '\0';

        char *line = input;
        for (char *end; (end = strchr(line, '\n')) != NULL; line = end + 1) {
            *end = '\0';
            if (end > line && end[-1] == '\r')
                end[-1] = '\0';
            obey(line);
        }
        held -= (size_t)(line - input);
        if (held == INPUT_BYTES)
            fail("a command line is longer than 65536 bytes");
        memmove(input, line, held);
    }
}
