// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiSystem
import Synchronization

/// A notification daemon on a real bus that shows nothing, records all calls, and sends signals on
/// request.
package final class FakeNotificationDaemon: Sendable {
  /// A call of `Notify`.
  package struct Shown: Sendable, Equatable {
    package var id: UInt32
    package var replaced: UInt32
    package var program: String
    package var summary: String
    package var body: String
    /// Keys and labels, alternating.
    package var actions: [String]
    package var hints: [String: BusValue]
    package var timeout: Int32

    package init(
      id: UInt32,
      replaced: UInt32,
      program: String,
      summary: String,
      body: String,
      actions: [String],
      hints: [String: BusValue],
      timeout: Int32
    ) {
      (self.id, self.replaced, self.program) = (id, replaced, program)
      (self.summary, self.body, self.actions) = (summary, body, actions)
      (self.hints, self.timeout) = (hints, timeout)
    }
  }

  /// The recorded calls.
  package struct Record: Sendable {
    package var shown: [Shown] = []
    package var withdrawn: [UInt32] = []
    fileprivate var calls: [BusMessage] = []
    fileprivate var lastID: UInt32 = 0
  }

  /// The capabilities of a complete daemon.
  package static let allCapabilities = ["actions", "body", "body-markup", "persistence"]

  private let bus: SessionBus
  private let capabilities: [String]
  private let state: State

  private final class State: Sendable {
    let record = Mutex(Record())
  }

  /// Takes the daemon's name on a bus; ``serve()`` answers its calls.
  package init(
    at address: SessionBusAddress,
    capabilities: [String] = allCapabilities,
    on loop: EventLoop
  ) async throws {
    let state = State()
    (self.state, self.capabilities) = (state, capabilities)
    bus = try await SessionBus.connect(to: address, on: loop, until: .farOff) { message in
      if message.kind == .call { state.record.withLock { $0.calls.append(message) } }
    }
    try await take()
  }

  package func take() async throws {
    let name = [BusValue.string(NotificationDaemon.name), .uint32(0)]
    try await bus.call(BusMessage(toBus: "RequestName", name), until: .farOff)
  }

  package func leave() async throws {
    let name = [BusValue.string(NotificationDaemon.name)]
    try await bus.call(BusMessage(toBus: "ReleaseName", name), until: .farOff)
  }

  /// Answers calls until the task is cancelled or the bus is gone.
  package func serve() async {
    while let call = try? await bus.wait(until: nil, for: nextCall) {
      var answer = BusMessage(.reply)
      answer.destination = call.sender
      answer.replySerial = call.serial
      switch call.member {
      case "GetServerInformation":
        answer.arguments = ["fake", "oppi", "1", "1.2"].map(BusValue.string)
      case "GetCapabilities": answer.arguments = [.strings(capabilities)]
      case "Notify": answer.arguments = [.uint32(show(call.arguments))]
      case "CloseNotification": withdraw(call.arguments)
      default: break
      }
      try? bus.send(answer)
      bus.wakeAll()
    }
  }

  private func nextCall() -> BusMessage? {
    state.record.withLock { $0.calls.isEmpty ? nil : $0.calls.removeFirst() }
  }

  private func show(_ arguments: [BusValue]) -> UInt32 {
    state.record.withLock { record in
      guard arguments.count == 8,
        let program = arguments[0].string, let replaced = arguments[1].uint32,
        let summary = arguments[3].string, let body = arguments[4].string,
        let actions = arguments[5].strings, case .dictionary(let hints) = arguments[6],
        case .int32(let timeout) = arguments[7]
      else { return 0 }
      if replaced == 0 { record.lastID += 1 }
      let shown = Shown(
        id: replaced == 0 ? record.lastID : replaced,
        replaced: replaced,
        program: program,
        summary: summary,
        body: body,
        actions: actions,
        hints: hints,
        timeout: timeout
      )
      record.shown.append(shown)
      return shown.id
    }
  }

  private func withdraw(_ arguments: [BusValue]) {
    guard let id = arguments.first?.uint32 else { return }
    state.record.withLock { $0.withdrawn.append(id) }
    try? close(id, reason: 3)
  }
}

// MARK: - User

extension FakeNotificationDaemon {
  package func press(_ key: String, of id: UInt32) throws {
    try tell("ActionInvoked", [.uint32(id), .string(key)])
  }

  /// Closes a notification; the specification numbers the reasons.
  package func close(_ id: UInt32, reason: UInt32) throws {
    try tell("NotificationClosed", [.uint32(id), .uint32(reason)])
  }

  private func tell(_ member: String, _ arguments: [BusValue]) throws {
    var signal = BusMessage(.signal, arguments)
    signal.path = NotificationDaemon.path
    signal.interface = NotificationDaemon.name
    signal.member = member
    try bus.send(signal)
  }

  package var record: Record { state.record.withLock(\.self) }

  /// Waits for a call that is not answered yet.
  package func waitForCall() async throws {
    _ = try await bus.wait(until: .farOff) { record.calls.first }
  }

  /// Waits until the record meets a condition.
  package func waitUntil(_ holds: (Record) -> Bool) async throws {
    _ = try await bus.wait(until: .farOff) { holds(record) ? true : nil }
  }
}
