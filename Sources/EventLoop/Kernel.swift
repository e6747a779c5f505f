// SPDX-License-Identifier: MIT

/// What a loop asks of the system that it runs on: time, chance, and what its descriptors have
/// become.
///
/// Everything in the program that depends on one of these gets it from the loop, so that under
/// another kernel a whole run can be repeated exactly.
package protocol Kernel: Sendable {
  /// The present moment, which never goes back and goes on while the machine sleeps.
  var now: EventLoop.Instant { get }

  /// The time of day, as the time since the beginning of 1970 in UTC; it may jump.
  var timeOfDay: Duration { get }

  /// Returns 64 bits that nobody can foretell.
  func randomBits() -> UInt64

  /// Waits for the first of the interests, not beyond a deadline; returns the indices of those that
  /// have come, in order, and none where the time has, or ``wake()`` was called.
  ///
  /// Hang-ups and errors count as having come.
  func wait(for interests: [EventLoop.Interest], until deadline: EventLoop.Instant?) -> [Int]

  /// Lets a ``wait(for:until:)`` that is under way return; may be called on any thread.
  func wake()

  /// Chooses which of several ready jobs runs next: an index below `count`.
  func choose(among count: Int) -> Int
}

extension Kernel {
  /// Jobs run in the order in which they became ready.
  package func choose(among count: Int) -> Int { 0 }
}

/// Random numbers of a kernel, for the standard library's functions that take a generator.
package struct RandomSource: RandomNumberGenerator, Sendable {
  let kernel: any Kernel

  package func next() -> UInt64 { kernel.randomBits() }
}
