// Starts Python in a program that has none. The interpreter is the one the library was built with, so that it finds
// the packages of that environment; CANNERY_PYTHON names another.
#include <Python.h>

#include <cstdio>
#include <cstdlib>

extern "C" bool cannery_ready(void);

namespace {

bool fail(const char *what)
{
    std::fprintf(stderr, "cannery: found no usable Python (%s), expected %s or what CANNERY_PYTHON names\n", what,
                 CANNERY_BUILT_WITH);
    return false;
}

bool initialize()
{
    const char *chosen = std::getenv("CANNERY_PYTHON");
    PyConfig config;
    PyConfig_InitPythonConfig(&config);
    config.parse_argv = 0;
    config.install_signal_handlers = 0;
    PyStatus status = PyConfig_SetBytesString(&config, &config.program_name, chosen ? chosen : CANNERY_BUILT_WITH);
    if (!PyStatus_Exception(status)) {
        status = Py_InitializeFromConfig(&config);
    }
    PyConfig_Clear(&config);
    return PyStatus_Exception(status) ? fail(status.err_msg ? status.err_msg : "no reason given") : true;
}

// Without this look, a failed import would leave functions that do nothing and answer success.
bool import_bridge()
{
    PyGILState_STATE state = PyGILState_Ensure();
    PyObject *bridge = PyImport_ImportModule("cannery.capi.bridge");
    if (bridge == nullptr) {
        PyErr_Print();
    }
    Py_XDECREF(bridge);
#if PY_VERSION_HEX < 0x030C0000
    // cffi starts behind a lock that it keeps in this number, and takes any value but 0 for somebody else's lock.
    PyType_Modified(&PyCapsule_Type);
#endif
    PyGILState_Release(state);
    return bridge != nullptr || fail("cannery cannot be imported");
}

bool start()
{
    if (!Py_IsInitialized()) {
        if (!initialize()) {
            return false;
        }
        PyEval_SaveThread();
    }
    return import_bridge() && (cannery_ready() || fail("cannery does not answer"));
}

}  // namespace

extern "C" bool cannery_start(void)
{
    static const bool started = start();
    return started;
}
