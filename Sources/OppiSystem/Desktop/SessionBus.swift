// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import OppiModel
import Synchronization

/// A connection to the session bus that blocks nobody: what the bus brings is read by whoever waits
/// for something, for all who wait.
///
/// It is closed with the last reference to it. A bus that goes away is an error of the next call,
/// and never the end of the process.
package final class SessionBus: Sendable {
  /// What is told of each message that answers no call, in the order in which the bus brought them.
  package typealias Receiver = @Sendable (BusMessage) -> Void

  /// So many calls may be without an answer, which no bus finds too many; others wait.
  private static let callLimit = 64

  fileprivate struct State {
    /// libdbus's connection; its functions are all called under the lock.
    let connection: OpaquePointer
    var isOpen = true
    /// What is done with the answers, by the number of the call.
    var calls: [UInt32: Receiver] = [:]
    /// Those who wait, and some who do not any more.
    var waiting: [EventLoop.Wakeup] = []
  }

  private let library: LibDBus
  private let loop: EventLoop
  private let receive: Receiver
  private let state: Mutex<State>
  private let descriptor: Int32

  /// Takes over a connection that is registered with the bus.
  init(
    _ connection: sending OpaquePointer,
    descriptor: Int32,
    of library: LibDBus,
    on loop: EventLoop,
    _ receive: @escaping Receiver
  ) {
    self.library = library
    self.loop = loop
    self.receive = receive
    self.descriptor = descriptor
    state = Mutex(State(connection: connection))
  }

  deinit {
    state.withLock { state in
      library.close(state.connection)
      library.freeConnection(state.connection)
    }
  }
}

// MARK: - Talking

extension SessionBus {
  /// Sends a call and waits for its answer.
  ///
  /// - Parameters:
  ///   - message: The call.
  ///   - deadline: When the answer is waited for no more.
  ///   - receive: What is told of the answer in its turn among all messages, even when it comes
  ///     after the deadline.
  /// - Returns: The arguments of the answer.
  /// - Throws: `.refused` or `.noDaemon` where the answer is an error.
  @discardableResult
  package func call(
    _ message: BusMessage,
    until deadline: EventLoop.Instant,
    _ receive: @escaping Receiver = { _ in }
  ) async throws(DesktopError) -> [BusValue] {
    _ = try await wait(until: deadline) {
      state.withLock { $0.calls.count < Self.callLimit ? true : nil }
    }
    let slot = Slot()
    try send(message) { answer in
      receive(answer)
      slot.answer.withLock { $0 = answer }
    }
    let answer = try await wait(until: deadline) { slot.answer.withLock(\.self) }
    guard answer.kind == .error else { return answer.arguments }
    throw answer.refusal
  }

  /// Sends a message that nobody answers.
  package func send(_ message: BusMessage) throws(DesktopError) {
    try send(message, nil)
    // Those who wait now wait for the rest of it to be written, too, and not on a descriptor that
    // the library has closed since.
    wakeAll()
  }

  private func send(_ message: BusMessage, _ receive: Receiver?) throws(DesktopError) {
    let isSent = try state.withLock { state throws(DesktopError) in
      guard state.isOpen else { throw .busGone }
      guard let made = library.make(message) else { return false }
      defer { library.freeMessage(made) }
      var serial: UInt32 = 0
      guard library.send(state.connection, made, &serial) != 0 else { return false }
      if let receive { state.calls[serial] = receive }
      return true
    }
    guard isSent else { throw .outOfMemory }
  }

  /// Waits until something is found in what the bus has brought.
  package func wait<Found>(
    until deadline: EventLoop.Instant?,
    for find: () -> Found?
  ) async throws(DesktopError) -> Found {
    while true {
      let interest = exchange()
      if let found = find() { return found }
      guard let interest else { throw .busGone }
      do {
        try await loop.wait(for: [interest], until: deadline) { wakeup in
          state.withLock { $0.waiting.append(wakeup) }
        }
      } catch {
        throw DesktopError(error)
      }
    }
  }

  /// Lets all who wait look again.
  package func wakeAll() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for wakeup in waiting { wakeup.fire() }
  }

  /// Sends and reads as much as goes without waiting, and hands out what came; returns what to wait
  /// for next, `nil` where the bus is gone.
  private func exchange() -> EventLoop.Interest? {
    let (messages, interest) = state.withLock { $0.exchange(through: library, on: descriptor) }
    for message in messages { handOut(message) }
    if !messages.isEmpty || interest == nil { wakeAll() }
    return interest
  }

  private func handOut(_ message: BusMessage) {
    guard let serial = message.replySerial else { return receive(message) }
    state.withLock { $0.calls.removeValue(forKey: serial) }?(message)
  }

  private final class Slot: Sendable {
    let answer = Mutex<BusMessage?>(nil)
  }
}

extension SessionBus.State {
  fileprivate mutating func exchange(
    through library: LibDBus,
    on descriptor: Int32
  ) -> (messages: [BusMessage], interest: EventLoop.Interest?) {
    guard isOpen else { return ([], nil) }
    _ = library.readAndWrite(connection, 0)
    var messages: [BusMessage] = []
    while let message = library.pop(connection) {
      if let read = library.read(message) { messages.append(read) }
      library.freeMessage(message)
    }
    isOpen = library.isConnected(connection) != 0
    guard isOpen else {
      calls = [:]
      return (messages, nil)
    }
    let isBehind = library.hasMessagesToSend(connection) != 0
    let events = POLLIN | (isBehind ? POLLOUT : 0)
    return (messages, EventLoop.Interest(descriptor: descriptor, events: Int16(events)))
  }
}

extension BusMessage {
  /// What an answer that is an error means.
  fileprivate var refusal: DesktopError {
    let name = errorName ?? ""
    let isAbsence =
      ["ServiceUnknown", "NameHasNoOwner", "NoReply"].contains { name == Self.errors + $0 }
      || name.hasPrefix(Self.errors + "Spawn.")
    if isAbsence { return .noDaemon }
    return .refused(reason: (arguments.first?.string ?? name).safeLine())
  }

  private static let errors = "org.freedesktop.DBus.Error."
}
