// SPDX-License-Identifier: MIT

package import EventLoop
import Glibc
import OppiText
import Synchronization

/// A non-blocking connection to the session bus: any waiting task reads incoming messages for all
/// waiting tasks.
///
/// It closes with its last reference. If the bus goes away, the next call throws an error; the
/// process is never ended.
package final class SessionBus: Sendable {
  /// Called with each message that answers no call, in the order of delivery.
  package typealias Receiver = @Sendable (BusMessage) -> Void

  /// The maximum number of unanswered calls, which any bus accepts; further calls wait.
  private static let callLimit = 64

  fileprivate struct State {
    /// libdbus's connection; all of its functions are called under the lock.
    let connection: OpaquePointer
    var isOpen = true
    /// Handlers of the answers, by serial of the call.
    var calls: [UInt32: Receiver] = [:]
    /// Waiting tasks, and some that no longer wait.
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

// MARK: - Messages

extension SessionBus {
  /// Sends a call and waits for its answer.
  ///
  /// - Parameters:
  ///   - message: The call.
  ///   - deadline: When to stop waiting for the answer.
  ///   - receive: Called with the answer in message order, even after the deadline.
  /// - Returns: The arguments of the answer.
  /// - Throws: `.refused` or `.noDaemon` if the answer is an error.
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

  /// Sends a message without waiting for an answer.
  package func send(_ message: BusMessage) throws(DesktopError) {
    try send(message, nil)
    // Waiting tasks must wait for the rest to be written, on a descriptor that is still open.
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

  /// Waits until `find` returns a value for the received messages.
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

  /// Makes all waiting tasks check again.
  package func wakeAll() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    for wakeup in waiting { wakeup.fire() }
  }

  /// Sends and receives without blocking; returns what to wait for, `nil` if the bus is gone.
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

extension SessionBus {
  /// Larger than any message about notifications; a longer message ends the connection.
  private static let messageSizeLimit = 1 << 20

  /// Connects to the bus.
  ///
  /// Loading the library and registering with the bus block, so both run on a separate thread. An
  /// abandoned attempt ends there within the 25 s that libdbus waits for an answer.
  ///
  /// - Parameters:
  ///   - address: The address of the bus.
  ///   - names: File names of libdbus.
  ///   - loop: The event loop.
  ///   - deadline: When to give up.
  ///   - receive: Called with the messages that answer no call.
  /// - Returns: The connection, registered with the bus.
  /// - Throws: `.noLibrary`, `.cannotConnect`, `.timedOut` or `.cancelled`.
  package static func connect(
    to address: SessionBusAddress,
    libraryNames names: [String]? = nil,
    on loop: EventLoop,
    until deadline: EventLoop.Instant,
    _ receive: @escaping Receiver
  ) async throws(DesktopError) -> SessionBus {
    let result: Result<SessionBus, DesktopError>
    do {
      result = try await loop.offload(until: deadline) {
        Result { () throws(DesktopError) in
          let library = try LibDBus(named: names ?? LibDBus.names)
          return try SessionBus(connecting: library, to: address, on: loop, receive)
        }
      }
    } catch {
      throw DesktopError(error)
    }
    return try result.get()
  }

  private convenience init(
    connecting library: LibDBus,
    to address: SessionBusAddress,
    on loop: EventLoop,
    _ receive: @escaping Receiver
  ) throws(DesktopError) {
    var connection: OpaquePointer?
    var reason = ""
    // A `DBusError`: two strings, flags and a pointer, 32 bytes on 64-bit machines.
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { place in
      library.initError(place.baseAddress)
      defer { library.freeError(place.baseAddress) }
      connection = address.text.withCString { library.open($0, place.baseAddress) }
      if let opened = connection, library.register(opened, place.baseAddress) == 0 {
        library.close(opened)
        library.freeConnection(opened)
        connection = nil
      }
      let texts = place.bindMemory(to: UnsafePointer<CChar>?.self)
      reason = texts[1].map { String(cString: $0) } ?? ""
    }
    var descriptor: Int32 = -1
    guard let connection, library.descriptor(connection, &descriptor) != 0 else {
      throw .cannotConnect(reason: reason)
    }
    library.setSizeLimit(connection, Self.messageSizeLimit)
    self.init(connection, descriptor: descriptor, of: library, on: loop, receive)
  }
}

/// The D-Bus address of this user's session bus.
package struct SessionBusAddress: Sendable, Equatable {
  /// One address, or several separated by semicolons, of which the first that works is used.
  package let text: String

  package init(_ text: String) {
    self.text = text
  }

  /// Finds the address in `DBUS_SESSION_BUS_ADDRESS`, else the user's bus in `XDG_RUNTIME_DIR` if
  /// it exists; `nil` if there is none.
  ///
  /// Only local sockets are used: other transports would start programs or use the network.
  package init?(
    environment: [String: String],
    isSocket: (String) -> Bool = Self.isSocket
  ) {
    if let given = environment["DBUS_SESSION_BUS_ADDRESS"], !given.isEmpty {
      let local = given.split(separator: ";").filter { $0.hasPrefix("unix:") }
      guard !local.isEmpty else { return nil }
      self.init(local.joined(separator: ";"))
    } else if let folder = environment["XDG_RUNTIME_DIR"], folder.hasPrefix("/"),
      isSocket(folder + "/bus")
    {
      self.init("unix:path=" + Self.escaped(folder + "/bus"))
    } else {
      return nil
    }
  }

  /// Escapes a value by the D-Bus specification, section Server Addresses.
  private static func escaped(_ value: String) -> String {
    value.utf8.map { byte in
      if byte.isASCIIAlphanumeric || "-_/.\\*".utf8.contains(byte) {
        return String(Unicode.Scalar(byte))
      }
      return "%" + String(byte >> 4, radix: 16) + String(byte & 0xF, radix: 16)
    }.joined()
  }

  package static func isSocket(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFSOCK
  }
}
