#include "sums.hpp"

#include <atomic>

#if defined(__x86_64__) && defined(__GNUC__)
#define FAIRCG_X86 1
#include <immintrin.h>
#endif

namespace faircg {
namespace {

// Loops marked so become part of the function that calls them, and are compiled for its
// instructions.
#ifdef _MSC_VER
#define FAIRCG_INLINE __forceinline
#else
#define FAIRCG_INLINE inline __attribute__((always_inline))
#endif

FAIRCG_INLINE Price sum_all(const Word *a, const Word *b, const Prices &prices) {
    Price total = 0;
    for (std::size_t w = 0; w < prices.common; ++w)
        total += std::popcount(a[w] & b[w]) * prices.of_word[w];
    for (std::size_t w = 0; w < prices.rare; ++w) {
        const Price *row = prices.of_row + 64 * w;
        for (Word x = a[prices.common + w] & b[prices.common + w]; x; x &= x - 1)
            total += row[std::countr_zero(x)];
    }
    return total;
}

FAIRCG_INLINE std::uint64_t count_all(const Word *a, const Word *b, std::size_t words) {
    std::uint64_t count = 0;
    for (std::size_t w = 0; w < words; ++w)
        count += static_cast<std::uint64_t>(std::popcount(a[w] & b[w]));
    return count;
}

// Words that are filled with bits from the left.
struct Filling {
    Word *out;
    Word word = 0;
    unsigned filled = 0;

    // The bits that a step selected.
    FAIRCG_INLINE void add(Word bits, const PackStep &step) {
        word |= bits << filled;
        filled += step.count;
        if (filled >= 64) {
            *out++ = word;
            filled -= 64;
            word = filled ? bits >> (step.count - filled) : 0;
        }
        if (step.ends_class && filled) {
            *out++ = word;
            word = 0;
            filled = 0;
        }
    }
};

Price sum_portable(const Word *a, const Word *b, const Prices &prices) {
    return sum_all(a, b, prices);
}

Word extract(Word bits, Word mask) {
    Word out = 0;
    for (int place = 0; mask; mask &= mask - 1, ++place)
        out |= ((bits >> std::countr_zero(mask)) & 1) << place;
    return out;
}

void pack_portable(const Word *source, const PackStep *first, const PackStep *last, Word *out) {
    Filling words{out};
    for (; first != last; ++first)
        words.add(extract(source[first->word], first->mask), *first);
}

template <class Number> Number add_lanes(const Number lanes[8]) {
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

double weigh_portable(const Word *a, std::size_t words, const double *weights) {
    double lanes[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    for (std::size_t w = 0; w < words; ++w)
        for (Word x = a[w]; x; x &= x - 1) {
            const int row = std::countr_zero(x);
            lanes[row % 8] += weights[64 * w + static_cast<std::size_t>(row)];
        }
    return add_lanes(lanes);
}

std::uint64_t count_portable(const Word *a, const Word *b, std::size_t words) {
    return count_all(a, b, words);
}

constexpr Instructions portable{"portable", sum_portable, pack_portable, weigh_portable,
                                count_portable};

#ifdef FAIRCG_X86

__attribute__((target("popcnt,bmi,bmi2"))) Price sum_bmi2(const Word *a, const Word *b,
                                                          const Prices &prices) {
    return sum_all(a, b, prices);
}

__attribute__((target("popcnt,bmi,bmi2"))) void pack_bmi2(const Word *source, const PackStep *first,
                                                          const PackStep *last, Word *out) {
    Filling words{out};
    for (; first != last; ++first)
        words.add(_pext_u64(source[first->word], first->mask), *first);
}

__attribute__((target("avx512f,avx512dq,avx512vpopcntdq,popcnt,bmi,bmi2"))) Price
sum_avx512(const Word *a, const Word *b, const Prices &prices) {
    __m512i total = _mm512_setzero_si512();
    std::size_t w = 0;
    for (; w + 8 <= prices.common; w += 8) {
        const __m512i both = _mm512_and_si512(_mm512_loadu_si512(a + w), _mm512_loadu_si512(b + w));
        total = _mm512_add_epi64(total, _mm512_mullo_epi64(_mm512_popcnt_epi64(both),
                                                           _mm512_loadu_si512(prices.of_word + w)));
    }
    if (w < prices.common) {
        const __mmask8 rest = static_cast<__mmask8>((1u << (prices.common - w)) - 1);
        const __m512i both = _mm512_and_si512(_mm512_maskz_loadu_epi64(rest, a + w),
                                              _mm512_maskz_loadu_epi64(rest, b + w));
        total = _mm512_add_epi64(
            total, _mm512_mullo_epi64(_mm512_popcnt_epi64(both),
                                      _mm512_maskz_loadu_epi64(rest, prices.of_word + w)));
    }
    __m512i more = _mm512_setzero_si512();
    for (std::size_t r = 0; r < prices.rare; ++r) {
        const Word x = a[prices.common + r] & b[prices.common + r];
        if (!x)
            continue;
        const Price *row = prices.of_row + 64 * r;
        for (int part = 0; part < 64; part += 16) {
            total = _mm512_mask_add_epi64(total, static_cast<__mmask8>(x >> part), total,
                                          _mm512_loadu_si512(row + part));
            more = _mm512_mask_add_epi64(more, static_cast<__mmask8>(x >> (part + 8)), more,
                                         _mm512_loadu_si512(row + part + 8));
        }
    }
    alignas(64) Price lanes[8];
    _mm512_store_si512(lanes, _mm512_add_epi64(total, more));
    return add_lanes(lanes);
}

__attribute__((target("popcnt"))) std::uint64_t count_popcnt(const Word *a, const Word *b,
                                                             std::size_t words) {
    return count_all(a, b, words);
}

__attribute__((target("avx512f"))) double weigh_avx512(const Word *a, std::size_t words,
                                                       const double *weights) {
    __m512d sums = _mm512_setzero_pd();
    for (std::size_t w = 0; w < words; ++w) {
        const Word x = a[w];
        if (!x)
            continue;
        for (int part = 0; part < 64; part += 8)
            sums = _mm512_mask_add_pd(sums, static_cast<__mmask8>(x >> part), sums,
                                      _mm512_loadu_pd(weights + 64 * w + part));
    }
    alignas(64) double lanes[8];
    _mm512_store_pd(lanes, sums);
    return add_lanes(lanes);
}

constexpr Instructions bmi2{"bmi2", sum_bmi2, pack_bmi2, weigh_portable, count_popcnt};
constexpr Instructions avx512{"avx512", sum_avx512, pack_bmi2, weigh_avx512, count_popcnt};

#endif

std::atomic<const Instructions *> chosen{nullptr};

} // namespace

std::vector<const Instructions *> available_instructions() {
    std::vector<const Instructions *> available;
#ifdef FAIRCG_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("popcnt") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("bmi2")) {
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vpopcntdq"))
            available.push_back(&avx512);
        available.push_back(&bmi2);
    }
#endif
    available.push_back(&portable);
    return available;
}

const Instructions &instructions() {
    const Instructions *now = chosen.load();
    if (!now) {
        now = available_instructions().front();
        chosen.store(now);
    }
    return *now;
}

void use_instructions(const Instructions &instructions) { chosen.store(&instructions); }

} // namespace faircg
