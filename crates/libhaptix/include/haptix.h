/* For programs that include <haptix.h>. */
#include <haptix/comm/haptix.h>
