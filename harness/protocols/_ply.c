/* The compiled twin of `ply.py`: one ply with an engine that answers at once, without the interpreter in between.
 *
 * `Pipes` is a bot's two pipes, `UciAsk` asks a UCI engine over them. Both are base classes, as in ply.py, and do the
 * plain case alone: all of a request fits into the pipe, and one read gives all of the answer. Everything else is told to
 * the methods of the Python classes above them, which know what to do. ply.py is the reference; the tests run both.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "../_plain.h"

#include <sched.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 1 << 14, N_SQUARES = 64, SAID_KEPT = 4096 };

static PyObject *str_start, *str_variant, *str_exchange_on, *str_exchange, *str_prepare, *str_finish, *str_line, *str_limit_ns;

static long long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (long long)t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* ------------------------------------------------------------------------------------------------ Pipes */

typedef struct {
    PyObject_HEAD
    PyObject *pending; /* bytes that were read while a request was written, mostly b"" */
    int in, out;       /* the bot's standard input and output, both non-blocking */
    char answer[CHUNK];
} Pipes;

static int pipes_traverse(Pipes *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->pending);
    return 0;
}

static int pipes_clear(Pipes *self)
{
    Py_CLEAR(self->pending);
    return 0;
}

static void pipes_dealloc(Pipes *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    pipes_clear(self);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyMemberDef pipes_members[] = {
    {"_pending", T_OBJECT_EX, offsetof(Pipes, pending), 0, NULL},
    {"_in", T_INT, offsetof(Pipes, in), 0, NULL},
    {"_out", T_INT, offsetof(Pipes, out), 0, NULL},
    {NULL},
};

/* Whether nobody else could use the interpreter's lock meanwhile: a worker has one thread. */
static int is_alone(void)
{
    PyThreadState *first = PyInterpreterState_ThreadHead(PyInterpreterState_Get());
    return PyThreadState_Next(first) == NULL;
}

/* Write a request and, if the bot answers while we yield, read into self->answer. Gives the bytes read, 0 if there are
 * none yet, -1 if not all was sent; `sent` is then what was, or -1 if the bot has closed its input. */
static ssize_t try_exchange(Pipes *self, const char *request, size_t length, ssize_t *sent)
{
    ssize_t n_read = -1;
    PyThreadState *state = is_alone() ? NULL : PyEval_SaveThread(); /* giving the lock away costs a twentieth of a ply */
    *sent = write(self->in, request, length);
    if (*sent < 0 && (errno == EAGAIN || errno == EINTR))
        *sent = 0;
    if (*sent == (ssize_t)length) {
        sched_yield();
        n_read = read(self->out, self->answer, CHUNK);
        if (n_read < 0)
            n_read = 0;
    }
    if (state != NULL)
        PyEval_RestoreThread(state);
    return n_read;
}

static int has_pending(Pipes *self)
{
    return self->pending == NULL || !PyBytes_CheckExact(self->pending) || PyBytes_GET_SIZE(self->pending) > 0;
}

static PyObject *exchange_on(Pipes *self, PyObject *request, ssize_t sent, PyObject *deadline_ns, PyObject *asked_ns)
{
    PyObject *count = PyLong_FromSsize_t(sent);
    if (count == NULL)
        return NULL;
    PyObject *args[] = {(PyObject *)self, request, count, deadline_ns, asked_ns};
    PyObject *answer = PyObject_VectorcallMethod(str_exchange_on, args, 5 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    Py_DECREF(count);
    return answer;
}

static PyObject *pipes_exchange(Pipes *self, PyObject *const *args, Py_ssize_t n_args)
{
    if (n_args != 3 || !PyBytes_CheckExact(args[0])) {
        PyErr_SetString(PyExc_TypeError, "exchange takes (data: bytes, deadline_ns: int, asked_ns: int)");
        return NULL;
    }
    ssize_t sent = 0, n_read = -1;
    if (!has_pending(self)) {
        n_read = try_exchange(self, PyBytes_AS_STRING(args[0]), (size_t)PyBytes_GET_SIZE(args[0]), &sent);
        if (n_read > 0)
            return PyBytes_FromStringAndSize(self->answer, n_read);
    }
    return exchange_on(self, args[0], sent, args[1], args[2]);
}

static PyObject *pipes_read_now(Pipes *self, PyObject *const *args, Py_ssize_t n_args)
{
    (void)self;
    if (n_args != 2) {
        PyErr_SetString(PyExc_TypeError, "read_now takes (descriptor: int, most: int)");
        return NULL;
    }
    long descriptor = PyLong_AsLong(args[0]);
    Py_ssize_t most = PyLong_AsSsize_t(args[1]);
    if (PyErr_Occurred())
        return NULL;
    char small[CHUNK];
    ssize_t n = read((int)descriptor, small, most < CHUNK ? (size_t)most : CHUNK);
    if (n < 0) {
        if (errno == EAGAIN)
            Py_RETURN_NONE;
        return PyErr_SetFromErrno(PyExc_OSError);
    }
    if (n < CHUNK || most <= CHUNK)
        return PyBytes_FromStringAndSize(small, n);
    PyObject *data = PyBytes_FromStringAndSize(NULL, most);
    if (data == NULL)
        return NULL;
    memcpy(PyBytes_AS_STRING(data), small, CHUNK);
    ssize_t more = read((int)descriptor, PyBytes_AS_STRING(data) + CHUNK, (size_t)most - CHUNK);
    _PyBytes_Resize(&data, CHUNK + (more > 0 ? more : 0));
    return data;
}

static PyMethodDef pipes_methods[] = {
    {"read_now", (PyCFunction)(void (*)(void))pipes_read_now, METH_FASTCALL,
     "Give what is there to read from a non-blocking descriptor; b\"\" at its end, None if there is nothing."},
    {"exchange", (PyCFunction)(void (*)(void))pipes_exchange, METH_FASTCALL,
     "Write, then read; see `protocols.base.Channel`."},
    {NULL},
};

static PyType_Slot pipes_slots[] = {
    {Py_tp_doc, "A bot's pipes: `_in` and `_out` are non-blocking descriptors. See ply.py."},
    {Py_tp_traverse, pipes_traverse},
    {Py_tp_clear, pipes_clear},
    {Py_tp_dealloc, pipes_dealloc},
    {Py_tp_members, pipes_members},
    {Py_tp_methods, pipes_methods},
    {0, NULL},
};

static PyType_Spec pipes_spec = {
    "harness.protocols._ply.Pipes", sizeof(Pipes), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, pipes_slots,
};

static PyTypeObject *pipes_type;

/* ----------------------------------------------------------------------------------------------- UciAsk */

typedef struct {
    PyObject_HEAD
    PyObject *channel;   /* None while there is none */
    PyObject *view;      /* the view that `position` belongs to, whose line grows */
    PyObject *start, *variant; /* str: of that view */
    PyObject *position;  /* str: `position …` without its moves */
    PyObject *go;        /* str: `\ngo …\n` */
    PyObject *go_budget; /* the budget that `go` belongs to */
    long long limit_ns;  /* of that budget */
    PyObject *said;      /* bytes */
    long long think_ns;
    char is_thinking;
} UciAsk;

static int ask_traverse(UciAsk *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->channel);
    Py_VISIT(self->view);
    Py_VISIT(self->start);
    Py_VISIT(self->variant);
    Py_VISIT(self->position);
    Py_VISIT(self->go);
    Py_VISIT(self->go_budget);
    Py_VISIT(self->said);
    return 0;
}

static int ask_clear(UciAsk *self)
{
    Py_CLEAR(self->channel);
    Py_CLEAR(self->view);
    Py_CLEAR(self->start);
    Py_CLEAR(self->variant);
    Py_CLEAR(self->position);
    Py_CLEAR(self->go);
    Py_CLEAR(self->go_budget);
    Py_CLEAR(self->said);
    return 0;
}

static void ask_dealloc(UciAsk *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    ask_clear(self);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyMemberDef ask_members[] = {
    {"_channel", T_OBJECT_EX, offsetof(UciAsk, channel), 0, NULL},
    {"_view", T_OBJECT_EX, offsetof(UciAsk, view), 0, NULL},
    {"_start", T_OBJECT_EX, offsetof(UciAsk, start), 0, NULL},
    {"_variant", T_OBJECT_EX, offsetof(UciAsk, variant), 0, NULL},
    {"_position", T_OBJECT_EX, offsetof(UciAsk, position), 0, NULL},
    {"_go", T_OBJECT_EX, offsetof(UciAsk, go), 0, NULL},
    {"_go_budget", T_OBJECT_EX, offsetof(UciAsk, go_budget), 0, NULL},
    {"said", T_OBJECT_EX, offsetof(UciAsk, said), 0, NULL},
    {"think_ns", T_LONGLONG, offsetof(UciAsk, think_ns), 0, NULL},
    {"_is_thinking", T_BOOL, offsetof(UciAsk, is_thinking), 0, NULL},
    {NULL},
};

/* Moves of four letters, by their squares: the same few hundred come again and again. */
static PyObject *plain_moves[N_SQUARES * N_SQUARES];

static int square_of(const char *text)
{
    unsigned file = (unsigned char)text[0] - 'a', rank = (unsigned char)text[1] - '1';
    return file < 8 && rank < 8 ? (int)(8 * file + rank) : -1;
}

/* The move after `bestmove `, if it is plain: one word of four letters that ends the answer. A new reference or NULL
 * without an error. */
static PyObject *plain_move(const char *text, size_t length)
{
    if (length != 5 || text[4] != '\n')
        return NULL;
    int from = square_of(text), to = square_of(text + 2);
    if (from < 0 || to < 0)
        return NULL;
    PyObject **move = &plain_moves[N_SQUARES * from + to];
    if (*move == NULL) {
        *move = PyUnicode_FromStringAndSize(text, 4);
        if (*move == NULL)
            PyErr_Clear();
        else
            PyUnicode_InternInPlace(move);
    }
    Py_XINCREF(*move);
    return *move;
}

static size_t put(char *to, PyObject *text)
{
    size_t length = (size_t)PyUnicode_GET_LENGTH(text);
    memcpy(to, PyUnicode_DATA(text), length);
    return length;
}

/* Does what ply.py says of an answer that is all there; NULL without an error if it is not as plain as that. */
static PyObject *take_plain(UciAsk *self, const char *data, size_t length, long long think_ns, long long limit_ns)
{
    static const char BEST[] = "bestmove ";
    const size_t best = sizeof BEST - 1;
    if (length < best + 5 || think_ns > limit_ns)
        return NULL;
    const char *found = data + length - best - 5;
    if (memcmp(found, BEST, best) != 0)
        return NULL;
    size_t n_said = (size_t)(found - data);
    if (n_said >= SAID_KEPT || (n_said > 0 && found[-1] != '\n') || memmem(data, n_said, BEST, best) != NULL)
        return NULL;
    PyObject *move = plain_move(found + best, 5);
    if (move == NULL)
        return NULL;
    PyObject *said = PyBytes_FromStringAndSize(data, (Py_ssize_t)n_said);
    if (said == NULL) {
        Py_DECREF(move);
        return NULL;
    }
    Py_XSETREF(self->said, said);
    self->think_ns = think_ns;
    self->is_thinking = 0;
    return move;
}

static PyObject *finish(UciAsk *self, PyObject *data, long long asked_ns, PyObject *budget)
{
    PyObject *asked = PyLong_FromLongLong(asked_ns);
    if (asked == NULL)
        return NULL;
    PyObject *args[] = {(PyObject *)self, data, asked, budget};
    PyObject *move = PyObject_VectorcallMethod(str_finish, args, 4 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    Py_DECREF(asked);
    return move;
}

/* Ask over a channel that is not ours, or that needs more than one write and one read. */
static PyObject *ask_at_length(UciAsk *self, const char *request, size_t length, ssize_t sent, long long asked_ns,
                               long long limit_ns, PyObject *budget)
{
    PyObject *move = NULL, *answer = NULL;
    PyObject *data = PyBytes_FromStringAndSize(request, (Py_ssize_t)length);
    PyObject *deadline = PyLong_FromLongLong(asked_ns + limit_ns);
    PyObject *asked = PyLong_FromLongLong(asked_ns);
    if (data != NULL && deadline != NULL && asked != NULL) {
        if (sent >= -1) {
            answer = exchange_on((Pipes *)self->channel, data, sent, deadline, asked);
        } else {
            PyObject *args[] = {self->channel, data, deadline, asked};
            answer = PyObject_VectorcallMethod(str_exchange, args, 4 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        }
        if (answer != NULL)
            move = finish(self, answer, asked_ns, budget);
    }
    Py_XDECREF(answer);
    Py_XDECREF(data);
    Py_XDECREF(deadline);
    Py_XDECREF(asked);
    return move;
}

/* Whether a view that is new begins like the last one, as the next game from the same start does; -1 with an error. */
static int begins_alike(UciAsk *self, PyObject *view)
{
    PyObject *start = PyObject_GetAttr(view, str_start);
    PyObject *variant = start != NULL ? PyObject_GetAttr(view, str_variant) : NULL;
    int same = variant == NULL ? -1 : start == self->start && variant == self->variant;
    Py_XDECREF(start);
    Py_XDECREF(variant);
    return same;
}

static PyObject *ask(UciAsk *self, PyObject *view, PyObject *budget)
{
    if (view != self->view && self->view != NULL && Py_TYPE(view) == Py_TYPE(self->view)) {
        int same = begins_alike(self, view);
        if (same < 0)
            return NULL;
        if (same)
            Py_XSETREF(self->view, Py_NewRef(view));
    }
    if (view != self->view || budget != self->go_budget || self->channel == Py_None) {
        PyObject *prepare[] = {(PyObject *)self, view, budget};
        PyObject *done = PyObject_VectorcallMethod(str_prepare, prepare, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
        if (done == NULL)
            return NULL;
        Py_DECREF(done);
    }
    PyObject *move = NULL;
    PyObject *line = PyObject_GetAttr(view, str_line);
    PyObject *limit = PyObject_GetAttr(budget, str_limit_ns);
    if (line == NULL || limit == NULL)
        goto out;
    long long limit_ns = PyLong_AsLongLong(limit);
    if (limit_ns == -1 && PyErr_Occurred())
        goto out;
    PyObject *parts[] = {self->position, line, self->go};
    static const char MOVES[] = " moves";
    size_t length = sizeof MOVES - 1;
    for (int i = 0; i < 3; i++) {
        if (!PyUnicode_CheckExact(parts[i]) || !PyUnicode_IS_ASCII(parts[i])) {
            PyErr_SetString(PyExc_TypeError, "a position, its moves and a go command are ASCII text");
            goto out;
        }
        length += (size_t)PyUnicode_GET_LENGTH(parts[i]);
    }
    char small[8192];
    char *request = length <= sizeof small ? small : PyMem_Malloc(length);
    if (request == NULL) {
        PyErr_NoMemory();
        goto out;
    }
    char *end = request + put(request, parts[0]);
    if (PyUnicode_GET_LENGTH(line) > 0) {
        memcpy(end, MOVES, sizeof MOVES - 1);
        end += sizeof MOVES - 1;
        end += put(end, line);
    }
    end += put(end, parts[2]);
    length = (size_t)(end - request);
    self->is_thinking = 1;
    long long asked_ns = now_ns();
    ssize_t sent = -2; /* not tried */
    if (PyObject_TypeCheck(self->channel, pipes_type)) {
        Pipes *pipes = (Pipes *)self->channel;
        sent = 0;
        ssize_t n_read = has_pending(pipes) ? -1 : try_exchange(pipes, request, length, &sent);
        if (n_read > 0) {
            move = take_plain(self, pipes->answer, (size_t)n_read, now_ns() - asked_ns, limit_ns);
            if (move == NULL && !PyErr_Occurred()) {
                PyObject *data = PyBytes_FromStringAndSize(pipes->answer, n_read);
                move = data == NULL ? NULL : finish(self, data, asked_ns, budget);
                Py_XDECREF(data);
            }
            goto asked;
        }
    }
    move = ask_at_length(self, request, length, sent, asked_ns, limit_ns, budget);
asked:
    if (request != small)
        PyMem_Free(request);
out:
    Py_XDECREF(line);
    Py_XDECREF(limit);
    return move;
}

static PyObject *ask_ask(UciAsk *self, PyObject *const *args, Py_ssize_t n_args)
{
    if (n_args != 2) {
        PyErr_SetString(PyExc_TypeError, "ask takes (view, budget)");
        return NULL;
    }
    return ask(self, args[0], args[1]);
}

static PyObject *ask_plainly(PyObject *self, PyObject *view, PyObject *budget, long long *think_ns, PyObject **said)
{
    PyObject *text = ask((UciAsk *)self, view, budget);
    *think_ns = ((UciAsk *)self)->think_ns;
    *said = ((UciAsk *)self)->said;
    return text;
}

static const PlainAsk plain_ask = {ask_plainly};

static PyMethodDef ask_methods[] = {
    {"ask", (PyCFunction)(void (*)(void))ask_ask, METH_FASTCALL,
     "Write `position …` and `go …` in one piece, wait for `bestmove`; see `protocols.base.Player`."},
    {NULL},
};

static PyType_Slot ask_slots[] = {
    {Py_tp_doc, "The question of a ply to a UCI engine. See ply.py."},
    {Py_tp_traverse, ask_traverse},
    {Py_tp_clear, ask_clear},
    {Py_tp_dealloc, ask_dealloc},
    {Py_tp_members, ask_members},
    {Py_tp_methods, ask_methods},
    {0, NULL},
};

static PyType_Spec ask_spec = {
    "harness.protocols._ply.UciAsk", sizeof(UciAsk), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, ask_slots,
};

/* ----------------------------------------------------------------------------------------------- module */

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "harness.protocols._ply", "The compiled twin of ply.py.", -1, NULL, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__ply(void)
{
    str_start = PyUnicode_InternFromString("start");
    str_variant = PyUnicode_InternFromString("variant");
    str_exchange_on = PyUnicode_InternFromString("exchange_on");
    str_exchange = PyUnicode_InternFromString("exchange");
    str_prepare = PyUnicode_InternFromString("_prepare");
    str_finish = PyUnicode_InternFromString("_finish");
    str_line = PyUnicode_InternFromString("line");
    str_limit_ns = PyUnicode_InternFromString("limit_ns");
    if (!str_start || !str_variant || !str_exchange_on || !str_exchange || !str_prepare || !str_finish || !str_line || !str_limit_ns)
        return NULL;
    PyObject *self = PyModule_Create(&module);
    if (self == NULL)
        return NULL;
    pipes_type = (PyTypeObject *)PyType_FromSpec(&pipes_spec);
    PyObject *asks = PyType_FromSpec(&ask_spec);
    if (pipes_type == NULL || asks == NULL || PyModule_AddObjectRef(self, "Pipes", (PyObject *)pipes_type) < 0
        || PyModule_AddObjectRef(self, "UciAsk", asks) < 0 || give_plain(asks, PLAIN_ASK, &plain_ask) < 0) {
        Py_XDECREF(asks);
        Py_DECREF(self);
        return NULL;
    }
    Py_DECREF(asks);
    return self;
}
