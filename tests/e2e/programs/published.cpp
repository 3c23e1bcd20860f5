// What a program finds of the published functions: some work, the others say that they are not there.
#include "acl/acl.h"
#include "securec.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

static void check(const char *what, bool right)
{
    std::printf("%s %s\n", right ? "ok" : "BAD", what);
}

static void bounded()
{
    char text[4] = "xyz";
    check("memcpy_s", memcpy_s(text, 4, "ab", 3) == EOK && std::strcmp(text, "ab") == 0);
    check("memcpy_s beyond the target", memcpy_s(text, 4, "abcde", 5) == ERANGE_AND_RESET && text[0] == 0);
    check("memcpy_s that overlaps", memcpy_s(text, 4, text + 1, 2) == EOVERLAP_AND_RESET);
    check("memcpy_s of null", memcpy_s(text, 4, nullptr, 1) == EINVAL_AND_RESET);
    check("memcpy_s into null", memcpy_s(nullptr, 4, text, 1) == EINVAL);
    check("memcpy_s into nothing", memcpy_s(text, 0, "a", 1) == ERANGE);
    check("memmove_s that overlaps", memmove_s(text, 4, text + 1, 3) == EOK);
    check("memset_s", memset_s(text, 4, 'z', 3) == EOK && text[2] == 'z');
    check("memset_s beyond the target", memset_s(text, 4, 'z', 5) == ERANGE_AND_RESET && text[3] == 'z');
    check("strcpy_s", strcpy_s(text, 4, "abc") == EOK && std::strcmp(text, "abc") == 0);
    check("strcpy_s beyond the target", strcpy_s(text, 4, "abcd") == ERANGE_AND_RESET && text[0] == 0);
    check("strncpy_s", strncpy_s(text, 4, "abcd", 2) == EOK && std::strcmp(text, "ab") == 0);
    check("strcat_s", strcat_s(text, 4, "c") == EOK && std::strcmp(text, "abc") == 0);
    check("strncat_s beyond the target", strncat_s(text, 4, "de", 1) == ERANGE_AND_RESET);
    check("sprintf_s", sprintf_s(text, 4, "%d", 123) == 3);
    check("sprintf_s beyond the target", sprintf_s(text, 4, "%d", 1234) == -1 && text[0] == 0);
    check("snprintf_s that cuts", snprintf_s(text, 4, 2, "%d", 1234) == -1 && std::strcmp(text, "12") == 0);
}

static void registered()
{
    void *memory = nullptr, *device = nullptr;
    aclrtPtrAttributes attributes;
    aclrtUtilizationInfo use = {9, 9, 9, 9, nullptr};
    check("allocate", posix_memalign(&memory, 4096, 4096) == 0);
    check("register", aclrtHostRegister(memory, 4096, ACL_HOST_REGISTER_MAPPED, &device) == ACL_SUCCESS);
    check("attributes", aclrtPointerGetAttributes(memory, &attributes) == ACL_SUCCESS);
    check("place", attributes.location.type == ACL_MEM_LOCATION_TYPE_HOST);
    check("unregister", aclrtHostUnregister(memory) == ACL_SUCCESS);
    check("unregister again", aclrtHostUnregister(memory) == ACL_ERROR_HOST_MEMORY_NOT_REGISTERED);
    check("use", aclrtGetDeviceUtilizationRate(0, &use) == ACL_SUCCESS && use.memoryUtilization == -1);
    std::free(memory);
}

int main()
{
    aclrtNotify notify = nullptr;
    check("set device", aclrtSetDevice(0) == ACL_SUCCESS);
    check("a function that is not there", aclrtCreateNotify(&notify, 0) == ACL_ERROR_RT_FEATURE_NOT_SUPPORT);
    check("says so", std::strstr(aclGetRecentErrMsg(), "aclrtCreateNotify") != nullptr);
    ACL_APP_LOG(ACL_INFO, "%d", 1);
    bounded();
    registered();
    return 0;
}
