/* The compiled twin of `making.py`: makes objects of a dataclass with slots by storing their values. */
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include <stddef.h>

typedef struct {
    PyObject_VAR_HEAD
    vectorcallfunc call;
    PyTypeObject *type;
    PyObject *defaults; /* tuple: values of the last fields */
    Py_ssize_t offsets[];
} Maker;

static PyObject *maker_call(PyObject *callable, PyObject *const *args, size_t n_args_flagged, PyObject *names)
{
    Maker *self = (Maker *)callable;
    Py_ssize_t n = PyVectorcall_NARGS(n_args_flagged), n_fields = Py_SIZE(self);
    Py_ssize_t n_required = n_fields - PyTuple_GET_SIZE(self->defaults);
    if (n < n_required || n > n_fields || (names != NULL && PyTuple_GET_SIZE(names) > 0))
        return PyErr_Format(PyExc_TypeError, "a maker of %s takes %zd to %zd values by position, got %zd",
                            self->type->tp_name, n_required, n_fields, n);
    PyObject *made = self->type->tp_alloc(self->type, 0);
    if (made == NULL)
        return NULL;
    for (Py_ssize_t i = 0; i < n_fields; i++) {
        PyObject *value = i < n ? args[i] : PyTuple_GET_ITEM(self->defaults, i - n_required);
        *(PyObject **)((char *)made + self->offsets[i]) = Py_NewRef(value);
    }
    return made;
}

static PyObject *maker_new(PyTypeObject *type, PyObject *args, PyObject *kwargs)
{
    PyTypeObject *cls;
    PyObject *names, *defaults;
    if (kwargs != NULL || !PyArg_ParseTuple(args, "O!O!O!", &PyType_Type, &cls, &PyTuple_Type, &names, &PyTuple_Type, &defaults))
        return NULL;
    Py_ssize_t n = PyTuple_GET_SIZE(names);
    if (PyTuple_GET_SIZE(defaults) > n) {
        PyErr_SetString(PyExc_TypeError, "more defaults than fields");
        return NULL;
    }
    Maker *self = (Maker *)type->tp_alloc(type, n);
    if (self == NULL)
        return NULL;
    self->call = maker_call;
    self->type = (PyTypeObject *)Py_NewRef((PyObject *)cls);
    self->defaults = Py_NewRef(defaults);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *member = PyDict_GetItemWithError(cls->tp_dict, PyTuple_GET_ITEM(names, i));
        if (member == NULL || !Py_IS_TYPE(member, &PyMemberDescr_Type)
            || ((PyMemberDescrObject *)member)->d_member->type != T_OBJECT_EX) {
            if (!PyErr_Occurred())
                PyErr_Format(PyExc_TypeError, "%s has no slot %R of its own", cls->tp_name, PyTuple_GET_ITEM(names, i));
            Py_DECREF(self);
            return NULL;
        }
        self->offsets[i] = ((PyMemberDescrObject *)member)->d_member->offset;
    }
    return (PyObject *)self;
}

static void maker_dealloc(Maker *self)
{
    PyTypeObject *type = Py_TYPE(self);
    Py_XDECREF(self->type);
    Py_XDECREF(self->defaults);
    type->tp_free((PyObject *)self);
    Py_DECREF(type);
}

static PyMemberDef maker_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(Maker, call), READONLY, NULL},
    {NULL},
};

static PyType_Slot maker_slots[] = {
    {Py_tp_doc, "Makes objects of a dataclass with slots from their values, in order. See making.py."},
    {Py_tp_new, maker_new},
    {Py_tp_dealloc, maker_dealloc},
    {Py_tp_call, PyVectorcall_Call},
    {Py_tp_members, maker_members},
    {0, NULL},
};

static PyType_Spec maker_spec = {
    "harness._making.Maker", offsetof(Maker, offsets), sizeof(Py_ssize_t),
    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, maker_slots,
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "harness._making", "The compiled twin of making.py.", -1, NULL, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__making(void)
{
    PyObject *self = PyModule_Create(&module);
    PyObject *type = self != NULL ? PyType_FromSpec(&maker_spec) : NULL;
    if (type == NULL || PyModule_AddObjectRef(self, "Maker", type) < 0)
        Py_CLEAR(self);
    Py_XDECREF(type);
    return self;
}
