/* What compiled twins know of each other: a plain ply without objects made for the call alone.
 *
 * A type that has a quicker way puts a capsule of that name into its dictionary; who finds none calls the Python method.
 */
#ifndef HARNESS_PLAIN_H
#define HARNESS_PLAIN_H

#include <Python.h>

#define PLAIN_ASK "harness.plain_ask"
#define PLAIN_RULES "harness.plain_rules"

/* `ask` of a player: the answer, or NULL with an error. Sets `think_ns` and `said` (borrowed, lives until asked again). */
typedef struct {
    PyObject *(*ask)(PyObject *self, PyObject *view, PyObject *budget, long long *think_ns, PyObject **said);
} PlainAsk;

/* `parse` and `apply` of a position that has a plain turn: the action (a new reference) or NULL with an error; 0, or -1
 * with an error. */
typedef struct {
    PyObject *(*parse)(PyObject *self, PyObject *text);
    int (*apply)(PyObject *self, PyObject *action);
} PlainRules;

/* Where a type's capsule was found last: the same few types come again and again. */
typedef struct {
    PyTypeObject *type;
    void *found;
} PlainKnown;

/* Find the capsule of the object that a bound method belongs to, if the method is a compiled one; NULL without an error
 * if there is none. `owner` is then borrowed from the method. */
static inline void *find_plain(PyObject *method, const char *name, PyObject **owner, PlainKnown *known)
{
    *owner = PyCFunction_CheckExact(method) ? PyCFunction_GET_SELF(method) : NULL;
    if (*owner == NULL)
        return NULL;
    if (Py_TYPE(*owner) == known->type)
        return known->found;
    PyObject *capsule = PyObject_GetAttrString((PyObject *)Py_TYPE(*owner), name + sizeof "harness." - 1);
    void *found = NULL;
    if (capsule == NULL)
        PyErr_Clear();
    else if (PyCapsule_IsValid(capsule, name))
        found = PyCapsule_GetPointer(capsule, name);
    Py_XDECREF(capsule);
    if (found != NULL)
        *known = (PlainKnown){(PyTypeObject *)Py_NewRef((PyObject *)Py_TYPE(*owner)), found}; /* kept for good */
    return found;
}

/* Put a capsule into the dictionary of a type of ours; 0 or -1 with an error. */
static inline int give_plain(PyObject *type, const char *name, const void *functions)
{
    PyObject *capsule = PyCapsule_New((void *)(uintptr_t)functions, name, NULL);
    int failed = capsule == NULL || PyObject_SetAttrString(type, name + sizeof "harness." - 1, capsule) < 0;
    Py_XDECREF(capsule);
    return failed ? -1 : 0;
}

#endif
