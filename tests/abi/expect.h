/* SPDX-License-Identifier: Apache-2.0 */
/* EXPECT for tests that use nothing but the public headers. */
#ifndef TESTS_ABI_EXPECT_H_
#define TESTS_ABI_EXPECT_H_

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif
extern int g_failures; /* in api_test.cpp */
int TestCInterface(void);
#ifdef __cplusplus
}
#endif

#define EXPECT(condition)                                                       \
  do {                                                                          \
    if (!(condition)) {                                                         \
      ++g_failures;                                                             \
      fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                           \
  } while (0)

#endif /* TESTS_ABI_EXPECT_H_ */
