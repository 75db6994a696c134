/* The compiled twin of `plies.py`, which is the reference; the tests run both. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "../_plain.h"

#include <stdlib.h>
#include <string.h>

static PyObject *str_think_ns, *str_said, *str_name, *str_self, *bot_fault, *illegal_action, *no_forfeits;

enum { SHOWN = 240, BINS_PER_OCTAVE = 8, MOST_BINS = 64 * BINS_PER_OCTAVE };

typedef struct {
    long seat;
    long long think_ns;
    PyObject *said;
} Ply;

typedef struct {
    PyObject_HEAD
    Ply *plies;
    Py_ssize_t n, room;
} PlyLog;

static void log_dealloc(PlyLog *self)
{
    PyTypeObject *type = Py_TYPE(self);
    for (Py_ssize_t i = 0; i < self->n; i++)
        Py_DECREF(self->plies[i].said);
    PyMem_Free(self->plies);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static Py_ssize_t log_length(PlyLog *self)
{
    return self->n;
}

/* 0, or -1 with an error */
static int note(PlyLog *self, long seat, long long think_ns, PyObject *said)
{
    if (said == NULL || !PyBytes_CheckExact(said)) {
        PyErr_SetString(PyExc_TypeError, "what was said is bytes");
        return -1;
    }
    if (self->n == self->room) {
        Py_ssize_t room = self->room ? 2 * self->room : 64;
        Ply *plies = PyMem_Realloc(self->plies, (size_t)room * sizeof(Ply));
        if (plies == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        self->plies = plies;
        self->room = room;
    }
    self->plies[self->n++] = (Ply){seat, think_ns, Py_NewRef(said)};
    return 0;
}

static PyObject *log_add(PlyLog *self, PyObject *const *args, Py_ssize_t n_args)
{
    if (n_args != 3) {
        PyErr_SetString(PyExc_TypeError, "add takes (seat: int, think_ns: int, said: bytes)");
        return NULL;
    }
    long seat = PyLong_AsLong(args[0]);
    long long think_ns = PyLong_AsLongLong(args[1]);
    if (((seat == -1 || think_ns == -1) && PyErr_Occurred()) || note(self, seat, think_ns, args[2]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

/* `records.think_bin` */
static int think_bin(long long think_ns)
{
    if (think_ns < BINS_PER_OCTAVE)
        return think_ns < 0 ? 0 : (int)think_ns;
    int octave = 60 - __builtin_clzll((unsigned long long)think_ns); /* bit length - 4 */
    return (octave << 3) + (int)(think_ns >> octave);
}

static PyObject *log_totals(PlyLog *self, PyObject *arg)
{
    long seat = PyLong_AsLong(arg);
    if (seat == -1 && PyErr_Occurred())
        return NULL;
    unsigned counts[MOST_BINS];
    int first = MOST_BINS, last = -1;
    long long total_ns = 0, longest_ns = 0;
    Py_ssize_t n = 0, n_bins = 0;
    for (Py_ssize_t i = 0; i < self->n; i++) {
        if (self->plies[i].seat != seat)
            continue;
        long long think_ns = self->plies[i].think_ns;
        int bin = think_bin(think_ns);
        if (last < 0) {
            first = last = bin;
            counts[bin] = 0;
        }
        while (first > bin)
            counts[--first] = 0;
        while (last < bin)
            counts[++last] = 0;
        counts[bin]++;
        total_ns += think_ns;
        if (think_ns > longest_ns)
            longest_ns = think_ns;
        n++;
    }
    for (int bin = first; bin <= last; bin++)
        n_bins += counts[bin] > 0;
    PyObject *bins = PyTuple_New(n_bins);
    if (bins == NULL)
        return NULL;
    Py_ssize_t at = 0;
    for (int bin = first; bin <= last; bin++) {
        if (counts[bin] == 0)
            continue;
        PyObject *pair = PyTuple_New(2), *index = PyLong_FromLong(bin), *count = PyLong_FromLong((long)counts[bin]);
        if (pair == NULL || index == NULL || count == NULL) {
            Py_XDECREF(pair);
            Py_XDECREF(index);
            Py_XDECREF(count);
            Py_DECREF(bins);
            return NULL;
        }
        PyTuple_SET_ITEM(pair, 0, index);
        PyTuple_SET_ITEM(pair, 1, count);
        PyTuple_SET_ITEM(bins, at++, pair);
    }
    return Py_BuildValue("(nLLN)", n, total_ns, longest_ns, bins);
}

static PyObject *log_think_us(PlyLog *self, PyObject *unused)
{
    (void)unused;
    PyObject *times = PyTuple_New(self->n);
    for (Py_ssize_t i = 0; times != NULL && i < self->n; i++) {
        PyObject *time = PyLong_FromLongLong(self->plies[i].think_ns / 1000);
        if (time == NULL)
            Py_CLEAR(times);
        else
            PyTuple_SET_ITEM(times, i, time);
    }
    return times;
}

/* The last place of `what` in text[0..length), or NULL. */
static const char *find_last(const char *text, size_t length, const char *what, size_t n_what)
{
    while (length >= n_what) {
        const char *end = memrchr(text, what[0], length - n_what + 1);
        if (end == NULL)
            return NULL;
        if (memcmp(end, what, n_what) == 0)
            return end;
        length = (size_t)(end - text) + n_what - 1;
    }
    return NULL;
}

/* `uci_info.last_scored` as text */
static PyObject *last_scored(PyObject *said)
{
    static const char SCORE[] = " score ", INFO[] = "info ";
    const char *text = PyBytes_AS_STRING(said);
    const char *last_end = memrchr(text, '\n', (size_t)PyBytes_GET_SIZE(said));
    const char *scored = last_end == NULL ? NULL : find_last(text, (size_t)(last_end - text) + 1, SCORE, sizeof SCORE - 1);
    if (scored == NULL)
        return PyUnicode_FromStringAndSize("", 0);
    const char *before = memrchr(text, '\n', (size_t)(scored - text));
    const char *start = before == NULL ? text : before + 1;
    const char *end = memchr(scored, '\n', (size_t)(last_end - scored) + 1);
    if ((size_t)(end - start) >= sizeof INFO - 1 && memcmp(start, INFO, sizeof INFO - 1) == 0)
        start += sizeof INFO - 1;
    while (end > start && end[-1] == '\r')
        end--;
    if (end - start > SHOWN)
        end = start + SHOWN;
    for (const char *c = start; c < end; c++)
        if ((unsigned char)*c > 127)
            return PyUnicode_DecodeASCII(start, end - start, "replace");
    PyObject *line = PyUnicode_New(end - start, 127);
    if (line != NULL)
        memcpy(PyUnicode_DATA(line), start, (size_t)(end - start));
    return line;
}

static PyObject *log_infos(PlyLog *self, PyObject *unused)
{
    (void)unused;
    Py_ssize_t n = 0;
    for (Py_ssize_t i = 0; i < self->n && n == 0; i++)
        if (PyBytes_GET_SIZE(self->plies[i].said) > 0)
            n = self->n;
    PyObject *infos = PyTuple_New(n);
    for (Py_ssize_t i = 0; infos != NULL && i < n; i++) {
        PyObject *line = last_scored(self->plies[i].said);
        if (line == NULL)
            Py_CLEAR(infos);
        else
            PyTuple_SET_ITEM(infos, i, line);
    }
    return infos;
}

static PyMethodDef log_methods[] = {
    {"add", (PyCFunction)(void (*)(void))log_add, METH_FASTCALL,
     "Note a ply: who answered, in which time, and what it said before its answer."},
    {"totals", (PyCFunction)log_totals, METH_O, "Sum up the plies of one seat."},
    {"think_us", (PyCFunction)log_think_us, METH_NOARGS, "Give the time of each ply in microseconds."},
    {"infos", (PyCFunction)log_infos, METH_NOARGS,
     "Give of each ply the last scored line that was said; () if nobody said anything."},
    {NULL},
};

static PyType_Slot log_slots[] = {
    {Py_tp_doc, "The plies of one game that were answered. See plies.py."},
    {Py_tp_dealloc, log_dealloc},
    {Py_tp_methods, log_methods},
    {Py_sq_length, log_length},
    {0, NULL},
};

static PyType_Spec log_spec = {"harness.play._plies.PlyLog", sizeof(PlyLog), 0, Py_TPFLAGS_DEFAULT, log_slots};

static PyTypeObject *log_type;

/* ------------------------------------------------------------------------------------------ PlainTurns */

/* A seat of plies.py, with the quicker ways to it that were found; borrowed from `seats`. */
typedef struct {
    PyObject *player, *ask, *view, *budget, *charge;
    const PlainAsk *plain;
    PyObject *asked;             /* whose `plain` that is */
    PyObject *views, *budgets;   /* iterators, if view and budget are their `__next__`; owned */
} Seat;

typedef struct {
    PyObject_VAR_HEAD
    PyObject *to_act, *parse, *apply, *seats, *log;
    const PlainRules *rules;
    PyObject *position; /* whose `rules` that is; borrowed from `parse` */
    Seat seat[];
} PlainTurns;

static PlainKnown known_rules, known_ask;

static int turns_traverse(PlainTurns *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(self->to_act);
    Py_VISIT(self->parse);
    Py_VISIT(self->apply);
    Py_VISIT(self->seats);
    Py_VISIT(self->log);
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_VISIT(self->seat[i].views);
        Py_VISIT(self->seat[i].budgets);
    }
    return 0;
}

static int turns_clear(PlainTurns *self)
{
    for (Py_ssize_t i = 0; i < Py_SIZE(self); i++) {
        Py_CLEAR(self->seat[i].views);
        Py_CLEAR(self->seat[i].budgets);
    }
    Py_CLEAR(self->to_act);
    Py_CLEAR(self->parse);
    Py_CLEAR(self->apply);
    Py_CLEAR(self->seats);
    Py_CLEAR(self->log);
    return 0;
}

static void turns_dealloc(PlainTurns *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    turns_clear(self);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

/* The iterator whose `__next__` a callable is, or NULL without an error. */
static PyObject *iterator_of(PyObject *callable)
{
    if (!Py_IS_TYPE(callable, &_PyMethodWrapper_Type))
        return NULL;
    PyObject *name = PyObject_GetAttr(callable, str_name);
    PyObject *iterator = NULL;
    if (name != NULL && PyUnicode_CompareWithASCIIString(name, "__next__") == 0)
        iterator = PyObject_GetAttr(callable, str_self);
    Py_XDECREF(name);
    if (iterator == NULL)
        PyErr_Clear();
    else if (!PyIter_Check(iterator))
        Py_CLEAR(iterator);
    return iterator;
}

static PyObject *turns_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    (void)kwargs;
    PyObject *to_act, *parse, *apply, *seats, *log;
    if (!PyArg_ParseTuple(args, "OOOO!O!", &to_act, &parse, &apply, &PyList_Type, &seats, log_type, &log))
        return NULL;
    PlainTurns *self = (PlainTurns *)type->tp_alloc(type, PyList_GET_SIZE(seats));
    if (self == NULL)
        return NULL;
    self->to_act = Py_NewRef(to_act);
    self->parse = Py_NewRef(parse);
    self->apply = Py_NewRef(apply);
    self->seats = Py_NewRef(seats);
    self->log = Py_NewRef(log);
    self->rules = find_plain(parse, PLAIN_RULES, &self->position, &known_rules);
    if (!PyCFunction_CheckExact(to_act) || PyCFunction_GET_SELF(to_act) != self->position
        || !PyCFunction_CheckExact(apply) || PyCFunction_GET_SELF(apply) != self->position)
        self->rules = NULL; /* somebody looks over its shoulder */
    for (Py_ssize_t i = 0; i < PyList_GET_SIZE(seats); i++) {
        PyObject *given = PyList_GET_ITEM(seats, i);
        if (!PyTuple_CheckExact(given) || PyTuple_GET_SIZE(given) != 5) {
            PyErr_SetString(PyExc_TypeError, "a seat is (player, ask, view, budget, charge)");
            Py_DECREF(self);
            return NULL;
        }
        Seat *seat = &self->seat[i];
        seat->player = PyTuple_GET_ITEM(given, 0);
        seat->ask = PyTuple_GET_ITEM(given, 1);
        seat->view = PyTuple_GET_ITEM(given, 2);
        seat->budget = PyTuple_GET_ITEM(given, 3);
        seat->charge = PyTuple_GET_ITEM(given, 4);
        seat->plain = find_plain(seat->ask, PLAIN_ASK, &seat->asked, &known_ask);
        seat->views = iterator_of(seat->view);
        seat->budgets = iterator_of(seat->budget);
    }
    return (PyObject *)self;
}

static PyObject *stop(PyObject *turn, PyObject *text, PyObject *fault)
{
    return PyTuple_Pack(3, turn, text != NULL ? text : Py_None, fault != NULL ? fault : Py_None);
}

/* Take the fault that was raised, if it was one; NULL with the error if it was something else. */
static PyObject *stop_at_fault(PyObject *turn)
{
    if (!PyErr_ExceptionMatches(bot_fault))
        return NULL;
    PyObject *type, *fault, *traceback;
    PyErr_Fetch(&type, &fault, &traceback);
    PyErr_NormalizeException(&type, &fault, &traceback);
    if (traceback != NULL)
        PyException_SetTraceback(fault, traceback);
    PyObject *result = stop(turn, NULL, fault);
    Py_XDECREF(type);
    Py_XDECREF(fault);
    Py_XDECREF(traceback);
    return result;
}

static PyObject *next_of(PyObject *iterator, PyObject *callable)
{
    PyObject *value = iterator != NULL ? Py_TYPE(iterator)->tp_iternext(iterator) : PyObject_CallNoArgs(callable);
    if (value == NULL && !PyErr_Occurred())
        PyErr_SetNone(PyExc_StopIteration);
    return value;
}

/* Ask a seat, and charge its clock: its answer with think_ns and said (a new reference), or NULL with an error. */
static PyObject *ask_seat(Seat *seat, long long *think_ns, PyObject **said)
{
    PyObject *view = next_of(seat->views, seat->view);
    PyObject *budget = view != NULL ? next_of(seat->budgets, seat->budget) : NULL;
    PyObject *text = NULL, *thought = NULL;
    *said = NULL;
    if (budget != NULL && seat->plain != NULL) {
        text = seat->plain->ask(seat->asked, view, budget, think_ns, said);
        Py_XINCREF(*said);
    } else if (budget != NULL) {
        PyObject *args[] = {NULL, view, budget};
        text = PyObject_Vectorcall(seat->ask, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    }
    Py_XDECREF(view);
    Py_XDECREF(budget);
    if (text == NULL)
        goto failed;
    if (seat->plain == NULL || seat->charge != Py_None) {
        if ((thought = PyObject_GetAttr(seat->player, str_think_ns)) == NULL)
            goto failed;
        *think_ns = PyLong_AsLongLong(thought);
        if (*think_ns == -1 && PyErr_Occurred())
            goto failed;
    }
    if (*said == NULL && (*said = PyObject_GetAttr(seat->player, str_said)) == NULL)
        goto failed;
    if (seat->charge != Py_None) {
        PyObject *done = PyObject_CallOneArg(seat->charge, thought);
        if (done == NULL)
            goto failed;
        Py_DECREF(done);
    }
    Py_XDECREF(thought);
    return text;
failed:
    Py_XDECREF(thought);
    Py_XDECREF(text);
    Py_CLEAR(*said);
    return NULL;
}

static PyObject *parse_action(PlainTurns *self, PyObject *index, PyObject *text)
{
    if (self->rules != NULL && PyUnicode_CheckExact(text))
        return self->rules->parse(self->position, text);
    PyObject *args[] = {NULL, index, text};
    return PyObject_Vectorcall(self->parse, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
}

/* 0, or -1 with an error */
static int apply_action(PlainTurns *self, PyObject *index, PyObject *action)
{
    if (self->rules != NULL)
        return self->rules->apply(self->position, action);
    PyObject *actions = PyDict_New();
    PyObject *done = NULL;
    if (actions != NULL && PyDict_SetItem(actions, index, action) == 0) {
        PyObject *args[] = {NULL, actions, no_forfeits};
        done = PyObject_Vectorcall(self->apply, args + 1, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
    }
    Py_XDECREF(actions);
    Py_XDECREF(done);
    return done == NULL ? -1 : 0;
}

/* One turn: NULL with an error, the stop, or None if it was plain and is made. */
static PyObject *play_turn(PlainTurns *self, PyObject *turn, PyObject *index)
{
    Py_ssize_t at = PyLong_AsSsize_t(index);
    if (at < 0 || at >= Py_SIZE(self)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_IndexError, "no such seat");
        return NULL;
    }
    long long think_ns = 0;
    PyObject *said;
    PyObject *text = ask_seat(&self->seat[at], &think_ns, &said);
    if (text == NULL)
        return stop_at_fault(turn);
    PyObject *result = NULL;
    PyObject *action = parse_action(self, index, text);
    if (action != NULL) {
        if (note((PlyLog *)self->log, (long)at, think_ns, said) == 0 && apply_action(self, index, action) == 0)
            result = Py_NewRef(Py_None);
    } else if (PyErr_ExceptionMatches(illegal_action)) {
        PyErr_Clear();
        result = stop(turn, text, NULL);
    }
    Py_XDECREF(action);
    Py_DECREF(said);
    Py_DECREF(text);
    return result;
}

static PyObject *turns_run(PlainTurns *self, PyObject *arg)
{
    Py_ssize_t most_plies = PyLong_AsSsize_t(arg);
    if (most_plies == -1 && PyErr_Occurred())
        return NULL;
    for (;;) {
        PyObject *turn = PyObject_CallNoArgs(self->to_act);
        if (turn == NULL)
            return NULL;
        PyObject *result;
        if (!PyTuple_CheckExact(turn)) {
            PyErr_SetString(PyExc_TypeError, "to_act gives a tuple");
            result = NULL;
        } else if (PyTuple_GET_SIZE(turn) != 1 || ((PlyLog *)self->log)->n >= most_plies) {
            result = stop(turn, NULL, NULL);
        } else {
            result = play_turn(self, turn, PyTuple_GET_ITEM(turn, 0));
        }
        Py_DECREF(turn);
        if (result != Py_None || PyErr_CheckSignals() < 0) {
            if (result == Py_None)
                Py_CLEAR(result);
            return result;
        }
        Py_DECREF(result);
    }
}

static PyMethodDef turns_methods[] = {
    {"run", (PyCFunction)turns_run, METH_O,
     "Play until a turn is not plain, the game is over (its turn is empty) or so many plies (above 0) are logged."},
    {NULL},
};

static PyType_Slot turns_slots[] = {
    {Py_tp_doc, "Plays turns of one seat each whose bot does as it should; stops before any other. See plies.py."},
    {Py_tp_new, turns_new},
    {Py_tp_traverse, turns_traverse},
    {Py_tp_clear, turns_clear},
    {Py_tp_dealloc, turns_dealloc},
    {Py_tp_methods, turns_methods},
    {0, NULL},
};

static PyType_Spec turns_spec = {
    "harness.play._plies.PlainTurns", offsetof(PlainTurns, seat), sizeof(Seat), Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, turns_slots,
};

/* ---------------------------------------------------------------------------------------------- module */

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "harness.play._plies", "The compiled twin of plies.py.", -1, NULL, NULL, NULL, NULL, NULL,
};

static PyObject *error_class(const char *name)
{
    PyObject *errors = PyImport_ImportModule("harness.errors");
    PyObject *type = errors != NULL ? PyObject_GetAttrString(errors, name) : NULL;
    Py_XDECREF(errors);
    return type;
}

PyMODINIT_FUNC PyInit__plies(void)
{
    if ((str_think_ns = PyUnicode_InternFromString("think_ns")) == NULL
        || (str_said = PyUnicode_InternFromString("said")) == NULL
        || (str_name = PyUnicode_InternFromString("__name__")) == NULL
        || (str_self = PyUnicode_InternFromString("__self__")) == NULL || (no_forfeits = PyTuple_New(0)) == NULL
        || (bot_fault = error_class("BotFault")) == NULL || (illegal_action = error_class("IllegalAction")) == NULL)
        return NULL;
    PyObject *self = PyModule_Create(&module);
    if (self == NULL)
        return NULL;
    log_type = (PyTypeObject *)PyType_FromSpec(&log_spec);
    PyObject *turns = PyType_FromSpec(&turns_spec);
    if (log_type == NULL || turns == NULL || PyModule_AddObjectRef(self, "PlyLog", (PyObject *)log_type) < 0
        || PyModule_AddObjectRef(self, "PlainTurns", turns) < 0)
        Py_CLEAR(self);
    Py_XDECREF(turns);
    return self;
}
