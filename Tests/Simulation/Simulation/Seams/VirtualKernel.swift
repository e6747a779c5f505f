// SPDX-License-Identifier: MIT

package import EventLoop
import Synchronization
import TestSupport

/// A kernel with virtual time and seeded randomness.
///
/// If no job is ready, time jumps to the next event; the next of several ready jobs is chosen at
/// random. The same seed therefore repeats the same world, and waiting takes no real time.
package final class VirtualKernel: Kernel {
  /// An event of the world, such as the arrival of bytes.
  package typealias Happening = @Sendable () -> Void

  fileprivate struct Event {
    let time: Duration
    let number: Int
    let body: Happening
  }

  fileprivate struct State {
    var elapsed = Duration.zero
    /// The time limit, extended by a day each time it is exceeded.
    var end = VirtualKernel.day
    var dayOffset = Duration.seconds(1_790_000_000)
    var setBack = Duration.zero
    var generator: SeededGenerator
    var events: [Event] = []
    var eventCount = 0
    var waits = 0
    var isReady: @Sendable (EventLoop.Interest) -> Bool = { _ in false }
    var onStandstill: Happening = {}
    var trace: UInt64 = 0xCBF2_9CE4_8422_2325
  }

  fileprivate static let day = Duration.seconds(86_400)

  private let state: Mutex<State>

  package init(seed: UInt64) {
    state = Mutex(State(generator: SeededGenerator(seed: seed)))
  }

  /// Sets how to query the readiness of descriptors, and what to do at a standstill.
  ///
  /// A standstill is a wait without a deadline or any further event, or the end of a virtual day.
  package func connect(
    isReady: @escaping @Sendable (EventLoop.Interest) -> Bool,
    onStandstill: @escaping Happening
  ) {
    state.withLock { state in
      state.isReady = isReady
      state.onStandstill = onStandstill
    }
  }

  // MARK: Time and randomness

  /// The virtual time since the start of the world.
  package var elapsed: Duration { state.withLock(\.elapsed) }

  package var now: EventLoop.Instant { EventLoop.Instant(elapsed: elapsed) }

  package var timeOfDay: Duration { state.withLock { $0.dayOffset + $0.elapsed } }

  /// Changes the time of day; deadlines are not affected.
  package func jumpDay(by duration: Duration) {
    state.withLock { state in
      state.dayOffset += duration
      if duration < .zero { state.setBack -= duration }
    }
  }

  /// By how much the time of day was set back in total.
  var setBack: Duration { state.withLock(\.setBack) }

  package func randomBits() -> UInt64 { state.withLock { $0.generator.next() } }

  package func choose(among count: Int) -> Int {
    state.withLock { state in
      let choice = Int(state.generator.next() % UInt64(count))
      state.note(UInt64(choice))
      return choice
    }
  }

  /// A hash of all choices and events, to compare two runs.
  package var trace: UInt64 { state.withLock(\.trace) }

  /// The number of times that the loop has waited.
  package var waits: Int { state.withLock(\.waits) }

  // MARK: Events

  /// Schedules an event; events for the same time keep their order.
  package func after(_ delay: Duration, _ body: @escaping Happening) {
    state.withLock { state in
      state.eventCount += 1
      let event = Event(time: state.elapsed + delay, number: state.eventCount, body: body)
      let index = state.events.firstIndex { $0.time <= event.time } ?? state.events.endIndex
      // The next event is last.
      state.events.insert(event, at: index)
    }
  }

  package func wake() {}

  package func wait(
    for interests: [EventLoop.Interest],
    until deadline: EventLoop.Instant?
  ) -> [Int] {
    state.withLock { state in
      state.waits += 1
      state.note(UInt64(bitPattern: Int64(interests.count)))
    }
    let (isReady, isOver) = state.withLock { state in
      defer { if state.elapsed > state.end { state.end += Self.day } }
      return (state.isReady, state.elapsed > state.end)
    }
    if isOver { state.withLock(\.onStandstill)() }
    while true {
      let ready = interests.indices.filter { isReady(interests[$0]) }
      if !ready.isEmpty || deadline == .past { return ready }
      let event = state.withLock { $0.nextEvent(before: deadline) }
      if let event {
        event()
      } else if let deadline {
        state.withLock { $0.elapsed = max($0.elapsed, deadline.elapsed) }
        return []
      } else {
        state.withLock(\.onStandstill)()
        return []
      }
    }
  }
}

extension VirtualKernel.State {
  /// Removes the next event that is due before the deadline, and advances the time to it.
  fileprivate mutating func nextEvent(
    before deadline: EventLoop.Instant?
  ) -> VirtualKernel.Happening? {
    guard let next = events.last, deadline.map({ next.time <= $0.elapsed }) ?? true else {
      return nil
    }
    events.removeLast()
    elapsed = max(elapsed, next.time)
    note(UInt64(next.number))
    return next.body
  }

  /// Mixes a number into the trace (FNV-1a).
  fileprivate mutating func note(_ number: UInt64) {
    trace = (trace ^ number) &* 0x0000_0100_0000_01B3
  }
}
