// SPDX-License-Identifier: MIT

import Glibc

/// The processor time of this thread, which does not include other work of the machine.
package func processorTime(of work: () -> Void) -> Duration {
  func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
  let begin = now()
  work()
  return now() - begin
}
