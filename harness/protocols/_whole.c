/* The compiled twin of the quick case of `whole.py`: a program is started, ends within a moment, and leaves nothing.
 *
 * play(argv, env, cwd, mark, wait_ms) starts it as whole.py does and waits. If it has ended by then: (status, CPU seconds,
 * output, errors, whether this process has children left). Else everything is as it is and the caller goes on with
 * (pid, pidfd, descriptor of its output, of its errors). whole.py is the reference; the tests run both.
 */
#define _GNU_SOURCE
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_WORDS = 512, KEPT_ERRORS = 64 << 10, MOST_OUTPUT = 16 << 20 };

static posix_spawnattr_t attributes;

/* Fill `words` with the bytes of a list's strings, which the list keeps alive; -1 with an error set. */
static int take_words(PyObject *list, char **words, Py_ssize_t most)
{
    Py_ssize_t n = PyList_GET_SIZE(list);
    if (n >= most) {
        PyErr_SetString(PyExc_ValueError, "too many words");
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *word = PyList_GET_ITEM(list, i);
        if (PyBytes_Check(word)) {
            words[i] = PyBytes_AS_STRING(word);
            if (strlen(words[i]) != (size_t)PyBytes_GET_SIZE(word)) {
                PyErr_SetString(PyExc_ValueError, "embedded null byte");
                return -1;
            }
        } else {
            PyErr_SetString(PyExc_TypeError, "words are bytes");
            return -1;
        }
    }
    words[n] = NULL;
    return 0;
}

static int start(pid_t *pid, char **argv, char **env, const char *cwd, int output, int errors)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error)
        return error;
    error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, output, 1);
    if (!error)
        error = posix_spawn_file_actions_adddup2(&actions, errors, 2);
    if (!error)
        error = posix_spawn_file_actions_addchdir_np(&actions, cwd);
    if (!error)
        error = posix_spawn(pid, argv[0], &actions, &attributes, argv, env);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Give what a file holds: its first bytes, or its last. */
static PyObject *content(int file, Py_ssize_t most, int is_end)
{
    struct stat facts;
    if (fstat(file, &facts))
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_ssize_t size = facts.st_size > most ? most : (Py_ssize_t)facts.st_size;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, size);
    if (bytes && size) {
        ssize_t n = pread(file, PyBytes_AS_STRING(bytes), size, is_end ? facts.st_size - size : 0);
        if (n != size)
            _PyBytes_Resize(&bytes, n < 0 ? 0 : n);
    }
    return bytes;
}

static PyObject *play(PyObject *Py_UNUSED(self), PyObject *args)
{
    PyObject *command, *environment;
    const char *cwd;
    unsigned long long mark;
    int wait_ms;
    if (!PyArg_ParseTuple(args, "O!O!yKi", &PyList_Type, &command, &PyList_Type, &environment, &cwd, &mark, &wait_ms))
        return NULL;
    char *argv[MOST_WORDS], **env = PyMem_Calloc(PyList_GET_SIZE(environment) + 1, sizeof *env);
    if (!env)
        return PyErr_NoMemory();
    if (!PyList_GET_SIZE(command)) {
        PyErr_SetString(PyExc_ValueError, "no command");
        goto no_words;
    }
    if (take_words(command, argv, MOST_WORDS) || take_words(environment, env, PyList_GET_SIZE(environment) + 1))
        goto no_words;

    int output = memfd_create("output", MFD_CLOEXEC), errors = memfd_create("errors", MFD_CLOEXEC);
    pid_t pid = 0;
    int pidfd = -1, error = output < 0 || errors < 0 ? errno : 0;
    if (!error) {
        error = start(&pid, argv, env, cwd, output, errors);
        if (!error) {
            struct rlimit limit = {mark, mark};
            prlimit(pid, RLIMIT_LOCKS, &limit, NULL);
            pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
            if (pidfd < 0) {
                error = errno;
                kill(-pid, SIGKILL);
                waitpid(pid, NULL, 0);
            }
        }
    }
    PyMem_Free(env);
    if (error) {
        if (output >= 0)
            close(output);
        if (errors >= 0)
            close(errors);
        errno = error;
        return PyErr_SetFromErrnoWithFilename(PyExc_OSError, argv[0]);
    }
    struct pollfd ends = {pidfd, POLLIN, 0};
    int ready;
    Py_BEGIN_ALLOW_THREADS
    ready = poll(&ends, 1, wait_ms);
    Py_END_ALLOW_THREADS
    if (ready <= 0) /* it goes on, or a signal came, which the interpreter looks after */
        return Py_BuildValue("iiii", pid, pidfd, output, errors);

    int status = 0;
    struct rusage used = {0};
    siginfo_t other;
    kill(-pid, SIGKILL); /* before its leader is reaped, while its number can belong to nobody else */
    close(pidfd);
    wait4(pid, &status, 0, &used);
    int has_children = !waitid(P_ALL, 0, &other, WEXITED | WNOHANG | WNOWAIT);
    double cpu_s = used.ru_utime.tv_sec + used.ru_stime.tv_sec + (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6;
    PyObject *said = content(output, MOST_OUTPUT, 0), *wrong = content(errors, KEPT_ERRORS, 1);
    close(output);
    close(errors);
    if (!said || !wrong) {
        Py_XDECREF(said);
        Py_XDECREF(wrong);
        return NULL;
    }
    return Py_BuildValue("idNNN", status, cpu_s, said, wrong, PyBool_FromLong(has_children));

no_words:
    PyMem_Free(env);
    return NULL;
}

static PyMethodDef methods[] = {
    {"play", play, METH_VARARGS, "Start a program and wait a moment for its end; see whole.py."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_whole", "The compiled twin of `whole.py`.", -1, methods};

PyMODINIT_FUNC PyInit__whole(void)
{
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE); /* what the interpreter ignores and a program should not */
    sigaddset(&defaults, SIGXFSZ);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    return PyModule_Create(&module);
}
