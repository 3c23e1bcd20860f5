/* The bounded functions of securec.h, over the C library's. What is refused leaves the target reset, as the names say. */
#include "securec.h"

#include <cstdint>
#include <cstdio>
#include <cstring>

namespace {

bool overlap(const void *first, size_t firstSize, const void *second, size_t secondSize)
{
    auto one = reinterpret_cast<uintptr_t>(first), two = reinterpret_cast<uintptr_t>(second);
    return one != two && one < two + secondSize && two < one + firstSize;
}

bool isSize(size_t size)
{
    return size > 0 && size <= SECUREC_MEM_MAX_LEN;
}

/* Checks that copies of memory share. EOK: go on. */
errno_t checkMemory(void *dest, size_t destMax, const void *src, size_t count)
{
    if (!isSize(destMax)) return ERANGE;
    if (dest == nullptr) return EINVAL;
    if (src == nullptr) {
        memset(dest, 0, destMax);
        return EINVAL_AND_RESET;
    }
    if (count > destMax) {
        memset(dest, 0, destMax);
        return ERANGE_AND_RESET;
    }
    return EOK;
}

/* Puts `count` characters of a string behind the `used` ones of the target. */
errno_t append(char *dest, size_t destMax, size_t used, const char *src, size_t count)
{
    if (used == destMax) {
        dest[0] = '\0';
        return EINVAL_AND_RESET;
    }
    if (count >= destMax - used) {
        dest[0] = '\0';
        return ERANGE_AND_RESET;
    }
    if (overlap(dest, used + count + 1, src, count + 1)) {
        dest[0] = '\0';
        return EOVERLAP_AND_RESET;
    }
    memmove(dest + used, src, count);
    dest[used + count] = '\0';
    return EOK;
}

errno_t checkStrings(char *dest, size_t destMax, const char *src)
{
    if (!isSize(destMax)) return ERANGE;
    if (dest == nullptr) return EINVAL;
    if (src == nullptr) {
        dest[0] = '\0';
        return EINVAL_AND_RESET;
    }
    return EOK;
}

} // namespace

extern "C" {

errno_t memset_s(void *dest, size_t destMax, int c, size_t count)
{
    if (!isSize(destMax)) return ERANGE;
    if (dest == nullptr) return EINVAL;
    memset(dest, c, count < destMax ? count : destMax);
    return count > destMax ? ERANGE_AND_RESET : EOK;
}

errno_t memcpy_s(void *dest, size_t destMax, const void *src, size_t count)
{
    errno_t checked = checkMemory(dest, destMax, src, count);
    if (checked != EOK) return checked;
    if (overlap(dest, count, src, count)) {
        memset(dest, 0, destMax);
        return EOVERLAP_AND_RESET;
    }
    if (dest != src) memcpy(dest, src, count);
    return EOK;
}

errno_t memmove_s(void *dest, size_t destMax, const void *src, size_t count)
{
    errno_t checked = checkMemory(dest, destMax, src, count);
    if (checked == EOK) memmove(dest, src, count);
    return checked;
}

errno_t strcpy_s(char *strDest, size_t destMax, const char *strSrc)
{
    errno_t checked = checkStrings(strDest, destMax, strSrc);
    return checked != EOK ? checked : append(strDest, destMax, 0, strSrc, strlen(strSrc));
}

errno_t strncpy_s(char *strDest, size_t destMax, const char *strSrc, size_t count)
{
    errno_t checked = checkStrings(strDest, destMax, strSrc);
    return checked != EOK ? checked : append(strDest, destMax, 0, strSrc, strnlen(strSrc, count));
}

errno_t strcat_s(char *strDest, size_t destMax, const char *strSrc)
{
    errno_t checked = checkStrings(strDest, destMax, strSrc);
    if (checked != EOK) return checked;
    return append(strDest, destMax, strnlen(strDest, destMax), strSrc, strlen(strSrc));
}

errno_t strncat_s(char *strDest, size_t destMax, const char *strSrc, size_t count)
{
    errno_t checked = checkStrings(strDest, destMax, strSrc);
    if (checked != EOK) return checked;
    return append(strDest, destMax, strnlen(strDest, destMax), strSrc, strnlen(strSrc, count));
}

char *strtok_s(char *strToken, const char *strDelimit, char **context)
{
    if (strDelimit == nullptr || context == nullptr || (strToken == nullptr && *context == nullptr)) return nullptr;
    return strtok_r(strToken, strDelimit, context);
}

int vsnprintf_s(char *strDest, size_t destMax, size_t count, const char *format, va_list argList)
{
    if (format == nullptr || strDest == nullptr || !isSize(destMax)) {
        if (strDest != nullptr && isSize(destMax)) strDest[0] = '\0';
        return -1;
    }
    size_t room = count < destMax ? count + 1 : destMax;
    int length = vsnprintf(strDest, room, format, argList);
    if (length >= 0 && static_cast<size_t>(length) < room) return length;
    /* What `count` cuts stays; what the target has no room for does not. */
    if (length < 0 || room == destMax) strDest[0] = '\0';
    return -1;
}

int snprintf_s(char *strDest, size_t destMax, size_t count, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf_s(strDest, destMax, count, format, list);
    va_end(list);
    return length;
}

int vsprintf_s(char *strDest, size_t destMax, const char *format, va_list argList)
{
    return vsnprintf_s(strDest, destMax, destMax, format, argList);
}

int sprintf_s(char *strDest, size_t destMax, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsprintf_s(strDest, destMax, format, list);
    va_end(list);
    return length;
}
}
