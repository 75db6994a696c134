/* The compiled twin of `chess_ply.py`: one plain move of a game of chess, with the same library behind it.
 *
 * `ChessPly` is a base class, as in chess_ply.py, and does the plain case alone; castling, en passant, ends of games and
 * everything that is wrong is told to the methods of the Python class above it. chess_ply.py is the reference; the tests
 * run both.
 */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "../_plain.h"

#include <string.h>

static PyObject *str_parse_rare, *str_apply_rare, *str_keep_en_passant, *str_finish_as_judged, *str_finish_repeated,
    *str_finish_if_dead, *str_play_unchecked, *str_halfmove_clock, *str_hash, *str_hash_without_ep, *str_status, *str_en_passant, *str_pieces,
    *str_line, *ongoing, *pawn, *one;

typedef struct {
    PyObject_HEAD
    PyObject *act;      /* tuple: who moves; () when the game is over */
    PyObject *next;     /* tuple: who moves then */
    PyObject *board;    /* cozy_chess.Board */
    PyObject *is_legal; /* its bound method */
    PyObject *table;    /* dict: text to move, without those that may mean castling */
    PyObject *seen;     /* dict: hash to how often the position was there */
    PyObject *moves;    /* list of str: since the start of the map */
    PyObject *view;     /* MovesView of `moves`, whose line grows */
    PyObject *log;      /* list of str: since the game began */
} ChessPly;

#define FIELDS(DO) \
    DO(act) DO(next) DO(board) DO(is_legal) DO(table) DO(seen) DO(moves) DO(view) DO(log)

static int ply_traverse(ChessPly *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
#define VISIT(name) Py_VISIT(self->name);
    FIELDS(VISIT)
    return 0;
}

static int ply_clear(ChessPly *self)
{
#define CLEAR(name) Py_CLEAR(self->name);
    FIELDS(CLEAR)
    return 0;
}

static void ply_dealloc(ChessPly *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    ply_clear(self);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

#define MEMBER(name) {"_" #name, T_OBJECT_EX, offsetof(ChessPly, name), 0, NULL}

static PyMemberDef ply_members[] = {
    MEMBER(act), MEMBER(next), MEMBER(board), MEMBER(is_legal), MEMBER(table), MEMBER(seen), MEMBER(moves), MEMBER(view),
    {"log", T_OBJECT_EX, offsetof(ChessPly, log), 0, NULL},
    {NULL},
};

static PyObject *call0(PyObject *object, PyObject *name)
{
    return PyObject_VectorcallMethod(name, &object, 1 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
}

static PyObject *call1(PyObject *object, PyObject *name, PyObject *arg)
{
    PyObject *args[] = {object, arg};
    return PyObject_VectorcallMethod(name, args, 2 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
}

/* Call for the effect; 0 or -1 with an error. */
static int tell(PyObject *result)
{
    if (result == NULL)
        return -1;
    Py_DECREF(result);
    return 0;
}

static PyObject *ply_to_act(ChessPly *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self->act);
}

static PyObject *parse(PyObject *object, PyObject *text)
{
    ChessPly *self = (ChessPly *)object;
    PyObject *move = PyDict_GetItemWithError(self->table, text);
    if (move != NULL) {
        PyObject *legal = PyObject_CallOneArg(self->is_legal, move);
        if (legal == NULL)
            return NULL;
        Py_DECREF(legal);
        if (legal == Py_True)
            return Py_NewRef(text);
    } else if (PyErr_Occurred()) {
        return NULL;
    }
    return call1(object, str_parse_rare, text);
}

static PyObject *ply_parse(ChessPly *self, PyObject *const *args, Py_ssize_t n_args)
{
    if (n_args != 2 || !PyUnicode_Check(args[1])) {
        PyErr_SetString(PyExc_TypeError, "parse takes (seat, text: str)");
        return NULL;
    }
    return parse((PyObject *)self, args[1]);
}

/* view.line += " " + text */
static int lengthen_line(PyObject *view, PyObject *text)
{
    PyObject *line = PyObject_GetAttr(view, str_line);
    if (line == NULL)
        return -1;
    PyObject *longer = NULL;
    if (PyUnicode_CheckExact(line) && PyUnicode_IS_ASCII(line) && PyUnicode_IS_ASCII(text)) {
        Py_ssize_t before = PyUnicode_GET_LENGTH(line), more = PyUnicode_GET_LENGTH(text);
        longer = PyUnicode_New(before + 1 + more, 127);
        if (longer != NULL) {
            char *to = PyUnicode_DATA(longer);
            memcpy(to, PyUnicode_DATA(line), (size_t)before);
            to[before] = ' ';
            memcpy(to + before + 1, PyUnicode_DATA(text), (size_t)more);
        }
    } else {
        PyErr_SetString(PyExc_TypeError, "moves are ASCII text");
    }
    Py_DECREF(line);
    if (longer == NULL)
        return -1;
    int failed = PyObject_SetAttr(view, str_line, longer);
    Py_DECREF(longer);
    return failed;
}

/* Count the position that has come about, by the hash that the board gives under `name`; how often it was there, -1 with
 * an error. */
static long count(ChessPly *self, PyObject *name)
{
    PyObject *key = call0(self->board, name);
    if (key == NULL)
        return -1;
    long times = 1;
    PyObject *before = PyDict_GetItemWithError(self->seen, key);
    if (before != NULL) {
        times = PyLong_AsLong(before) + 1;
        PyObject *now = PyLong_FromLong(times);
        if (now == NULL || PyDict_SetItem(self->seen, key, now) < 0)
            times = -1;
        Py_XDECREF(now);
    } else if (PyErr_Occurred() || PyDict_SetItem(self->seen, key, one) < 0) {
        times = -1;
    }
    Py_DECREF(key);
    return times;
}

/* The squares of all pawns, a1 lowest; 0 with or without an error. */
static unsigned long long find_pawns(ChessPly *self)
{
    PyObject *squares = call1(self->board, str_pieces, pawn);
    PyObject *bits = squares != NULL ? PyNumber_Long(squares) : NULL;
    unsigned long long found = bits != NULL ? PyLong_AsUnsignedLongLong(bits) : 0;
    Py_XDECREF(squares);
    Py_XDECREF(bits);
    return PyErr_Occurred() ? 0 : found;
}

/* Whether a pawn stands beside the one that has just moved as `text` says: only then may it be captured en passant. */
static int has_neighbour(PyObject *text, unsigned long long pawns)
{
    const char *move = PyUnicode_DATA(text);
    int file = move[2] - 'a', square = 8 * (move[3] - '1') + file;
    return (file > 0 && (pawns >> (square - 1) & 1)) || (file < 7 && (pawns >> (square + 1) & 1));
}

/* After a capture or pawn move nothing before can come again. 0, or -1 with an error. */
static int begin_stretch(ChessPly *self, PyObject *text, unsigned long long pawns)
{
    PyDict_Clear(self->seen);
    PyObject *file = call0(self->board, str_en_passant);
    if (file == NULL)
        return -1;
    int failed;
    if (file == Py_None)
        failed = count(self, str_hash) < 0;
    else if (!has_neighbour(text, pawns))
        failed = count(self, str_hash_without_ep) < 0;
    else
        failed = tell(call1((PyObject *)self, str_keep_en_passant, file)) < 0;
    Py_DECREF(file);
    return failed ? -1 : 0;
}

/* 1 if the library calls the game over, 0 if not, -1 with an error */
static int is_over(ChessPly *self)
{
    PyObject *status = call0(self->board, str_status);
    if (status == NULL)
        return -1;
    int same = PyObject_RichCompareBool(status, ongoing, Py_EQ);
    Py_DECREF(status);
    return same < 0 ? -1 : !same;
}

/* Make a legal move, written as `text`; 0 or -1 with an error. */
static int make(ChessPly *self, PyObject *move, PyObject *text)
{
    if (tell(call1(self->board, str_play_unchecked, move)) < 0 || PyList_Append(self->moves, text) < 0
        || PyList_Append(self->log, text) < 0 || lengthen_line(self->view, text) < 0)
        return -1;
    PyObject *act = self->act;
    self->act = self->next;
    self->next = act;
    PyObject *clock = PyObject_GetAttr(self->board, str_halfmove_clock);
    if (clock == NULL)
        return -1;
    int is_quiet = PyObject_IsTrue(clock);
    Py_DECREF(clock);
    long times = 1;
    unsigned long long pawns = 0;
    if (is_quiet) {
        if ((times = count(self, str_hash)) < 0)
            return -1;
    } else if (((pawns = find_pawns(self)) == 0 && PyErr_Occurred()) || begin_stretch(self, text, pawns) < 0) {
        return -1;
    }
    int over = is_over(self);
    if (over < 0)
        return -1;
    if (over)
        return tell(call0((PyObject *)self, str_finish_as_judged));
    if (is_quiet)
        return times < 3 ? 0 : tell(call0((PyObject *)self, str_finish_repeated));
    return pawns ? 0 : tell(call0((PyObject *)self, str_finish_if_dead));
}

static PyObject *ply_apply(ChessPly *self, PyObject *const *args, Py_ssize_t n_args)
{
    if (n_args < 1 || n_args > 2) {
        PyErr_SetString(PyExc_TypeError, "apply takes (actions, forfeits=())");
        return NULL;
    }
    int has_forfeits = n_args == 2 ? PyObject_IsTrue(args[1]) : 0;
    if (has_forfeits < 0)
        return NULL;
    if (!has_forfeits && PyDict_CheckExact(args[0]) && PyTuple_CheckExact(self->act) && PyTuple_GET_SIZE(self->act) == 1) {
        PyObject *text = PyDict_GetItemWithError(args[0], PyTuple_GET_ITEM(self->act, 0));
        PyObject *move = text != NULL && PyUnicode_CheckExact(text) ? PyDict_GetItemWithError(self->table, text) : NULL;
        if (move != NULL) {
            if (make(self, move, text) < 0)
                return NULL;
            Py_RETURN_NONE;
        }
        if (PyErr_Occurred())
            return NULL;
    }
    PyObject *rare[] = {(PyObject *)self, args[0], n_args == 2 ? args[1] : Py_None};
    return PyObject_VectorcallMethod(str_apply_rare, rare, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL);
}

/* For `_apply_rare`: a move that the table does not have is made like any other. */
static PyObject *ply_make(ChessPly *self, PyObject *const *args, Py_ssize_t n_args)
{
    if (n_args != 2 || !PyUnicode_CheckExact(args[1])) {
        PyErr_SetString(PyExc_TypeError, "_make takes (move, text: str)");
        return NULL;
    }
    if (make(self, args[0], args[1]) < 0)
        return NULL;
    Py_RETURN_NONE;
}

static int apply_plainly(PyObject *object, PyObject *text)
{
    ChessPly *self = (ChessPly *)object;
    PyObject *move = PyUnicode_CheckExact(text) ? PyDict_GetItemWithError(self->table, text) : NULL;
    if (move != NULL)
        return make(self, move, text);
    if (PyErr_Occurred())
        return -1;
    PyObject *actions = PyDict_New();
    PyObject *rare[] = {object, actions, Py_None};
    int failed = actions == NULL || PyDict_SetItem(actions, PyTuple_GET_ITEM(self->act, 0), text) < 0
                 || tell(PyObject_VectorcallMethod(str_apply_rare, rare, 3 | PY_VECTORCALL_ARGUMENTS_OFFSET, NULL)) < 0;
    Py_XDECREF(actions);
    return failed ? -1 : 0;
}

static const PlainRules plain_rules = {parse, apply_plainly};

static PyMethodDef ply_methods[] = {
    {"to_act", (PyCFunction)ply_to_act, METH_NOARGS, "Give the seat to move; empty when the game is over."},
    {"parse", (PyCFunction)(void (*)(void))ply_parse, METH_FASTCALL,
     "Read a UCI move. Raises IllegalAction, saying why, if it is unreadable or illegal here."},
    {"apply", (PyCFunction)(void (*)(void))ply_apply, METH_FASTCALL,
     "Make the move of the seat that acts, which `parse` gave for this very position, or take its forfeit."},
    {"_make", (PyCFunction)(void (*)(void))ply_make, METH_FASTCALL, "Make a legal move, written as `text`."},
    {NULL},
};

static PyType_Slot ply_slots[] = {
    {Py_tp_doc, "One plain move of a game of chess. See chess_ply.py."},
    {Py_tp_traverse, ply_traverse},
    {Py_tp_clear, ply_clear},
    {Py_tp_dealloc, ply_dealloc},
    {Py_tp_members, ply_members},
    {Py_tp_methods, ply_methods},
    {0, NULL},
};

static PyType_Spec ply_spec = {
    "harness.rules._chess_ply.ChessPly", sizeof(ChessPly), 0,
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC, ply_slots,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "harness.rules._chess_ply", "The compiled twin of chess_ply.py.", -1, NULL, NULL, NULL, NULL, NULL,
};

static PyObject *constant(const char *type, const char *name)
{
    PyObject *library = PyImport_ImportModule("cozy_chess");
    PyObject *owner = library != NULL ? PyObject_GetAttrString(library, type) : NULL;
    PyObject *value = owner != NULL ? PyObject_GetAttrString(owner, name) : NULL;
    Py_XDECREF(library);
    Py_XDECREF(owner);
    return value;
}

PyMODINIT_FUNC PyInit__chess_ply(void)
{
    struct {
        PyObject **to;
        const char *name;
    } const names[] = {
        {&str_parse_rare, "_parse_rare"},     {&str_apply_rare, "_apply_rare"},
        {&str_keep_en_passant, "_keep_en_passant"}, {&str_finish_as_judged, "_finish_as_judged"},
        {&str_finish_repeated, "_finish_repeated"}, {&str_finish_if_dead, "_finish_if_dead"},
        {&str_play_unchecked, "play_unchecked"},    {&str_halfmove_clock, "halfmove_clock"},
        {&str_hash, "hash"},                  {&str_status, "status"},
        {&str_hash_without_ep, "hash_without_ep"},
        {&str_en_passant, "en_passant"},      {&str_pieces, "pieces"},
        {&str_line, "line"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if ((*names[i].to = PyUnicode_InternFromString(names[i].name)) == NULL)
            return NULL;
    if ((one = PyLong_FromLong(1)) == NULL || (ongoing = constant("GameStatus", "Ongoing")) == NULL
        || (pawn = constant("Piece", "Pawn")) == NULL)
        return NULL;
    PyObject *self = PyModule_Create(&module);
    PyObject *type = self != NULL ? PyType_FromSpec(&ply_spec) : NULL;
    if (type == NULL || PyModule_AddObjectRef(self, "ChessPly", type) < 0
        || give_plain(type, PLAIN_RULES, &plain_rules) < 0)
        Py_CLEAR(self);
    Py_XDECREF(type);
    return self;
}
