// Tiling classes of the host: plain structures with accessors, byte for byte what the kernel reads.
#ifndef CANNERY_TILINGDATA_BASE_H
#define CANNERY_TILINGDATA_BASE_H

#include <cstddef>
#include <cstdint>
#include <cstring>

#define BEGIN_TILING_DATA_DEF(Class) \
    class Class {                    \
        using CanneryClass = Class;
#define TILING_DATA_FIELD_DEF(type, name)     \
public:                                       \
    void set_##name(type value) { name = value; } \
    type get_##name() const { return name; }  \
                                              \
private:                                      \
    type name = {};
#define TILING_DATA_FIELD_DEF_ARR(type, count, name)                                       \
public:                                                                                    \
    void set_##name(const type *values) { std::memcpy(name, values, sizeof(type) * (count)); } \
    type *get_##name() { return name; }                                                    \
                                                                                           \
private:                                                                                   \
    type name[count] = {};
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) \
public:                                          \
    type name;                                   \
                                                 \
private:
#define TILING_DATA_FIELD_STRUCT(type, name) TILING_DATA_FIELD_DEF_STRUCT(type, name)
#define END_TILING_DATA_DEF                                      \
public:                                                          \
    size_t GetDataSize() const { return sizeof(CanneryClass); }  \
    void SaveToBuffer(void *target, size_t capacity) const       \
    {                                                            \
        std::memcpy(target, this, capacity < sizeof(CanneryClass) ? capacity : sizeof(CanneryClass)); \
    }                                                            \
    }
#define REGISTER_TILING_DATA_CLASS(Operator, Class)

#endif
