// SPDX-License-Identifier: MIT

package import EventLoop
import Synchronization

/// A kernel with a manual clock and reproducible random numbers; its waits return at once.
package final class ManualKernel: Kernel {
  private let elapsed = Mutex(Duration.seconds(1000))
  private let generator: Mutex<SeededGenerator>

  package init(seed: UInt64 = 1) {
    generator = Mutex(SeededGenerator(seed: seed))
  }

  /// Moves the clock forward.
  package func advance(by duration: Duration) {
    elapsed.withLock { $0 += duration }
  }

  package var now: EventLoop.Instant { EventLoop.Instant(elapsed: elapsed.withLock { $0 }) }

  package var timeOfDay: Duration { .seconds(1_700_000_000) + elapsed.withLock { $0 } }

  package func randomBits() -> UInt64 { generator.withLock { $0.next() } }

  package func wait(
    for interests: [EventLoop.Interest],
    until deadline: EventLoop.Instant?
  ) -> [Int] {
    []
  }

  package func wake() {}
}
