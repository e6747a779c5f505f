// SPDX-License-Identifier: MIT

/// The system interface of a loop: time, randomness and descriptor events.
///
/// All code gets these from the loop, so that another kernel can repeat a run exactly.
package protocol Kernel: Sendable {
  /// The current time; never goes back and includes the time that the machine is suspended.
  var now: EventLoop.Instant { get }

  /// The time of day, as the time since 1970-01-01 00:00 UTC; it may jump.
  var timeOfDay: Duration { get }

  /// Returns 64 unpredictable bits.
  func randomBits() -> UInt64

  /// Waits for an interest to become ready, at most until the deadline.
  ///
  /// Hang-ups and errors count as ready.
  ///
  /// - Returns: The indices of the ready interests, ascending; empty after the deadline or
  ///   ``wake()``.
  func wait(for interests: [EventLoop.Interest], until deadline: EventLoop.Instant?) -> [Int]

  /// Ends a current ``wait(for:until:)``; may be called on any thread.
  func wake()

  /// Returns the index of the ready job that runs next, less than `count`.
  func choose(among count: Int) -> Int
}

extension Kernel {
  /// Runs jobs in the order in which they became ready.
  package func choose(among count: Int) -> Int { 0 }
}

package struct RandomSource: RandomNumberGenerator, Sendable {
  let kernel: any Kernel

  package func next() -> UInt64 { kernel.randomBits() }
}
