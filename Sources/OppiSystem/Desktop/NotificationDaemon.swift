// SPDX-License-Identifier: MIT

package import EventLoop
import Synchronization

/// The notification daemon, used over D-Bus (Desktop Notifications Specification 1.2).
package final class NotificationDaemon: DesktopNotifier {
  /// The daemon's bus name and interface.
  package static let name = "org.freedesktop.Notifications"
  package static let path = "/org/freedesktop/Notifications"
  /// The time limit of one call, most of which is for starting the daemon.
  package static let callTime = Duration.seconds(10)

  private let bus: SessionBus
  private let loop: EventLoop
  private let callTime: Duration
  private let ledger: Ledger

  private final class Ledger: Sendable {
    let state = Mutex(NotificationLedger())
  }

  /// Connects to the session bus and to the daemon, which the bus starts if it can.
  ///
  /// - Throws: `.noDaemon` if there is none, or why the bus cannot be reached.
  package init(
    at address: SessionBusAddress,
    libraryNames: [String]? = nil,
    callTime: Duration = callTime,
    on loop: EventLoop
  ) async throws(DesktopError) {
    let ledger = Ledger()
    (self.ledger, self.loop, self.callTime) = (ledger, loop, callTime)
    bus = try await SessionBus.connect(
      to: address,
      libraryNames: libraryNames,
      on: loop,
      until: loop.now + callTime
    ) { message in
      ledger.state.withLock { $0.receive(message) }
    }
    try await watchDaemon()
    _ = try await capabilities()
  }

  /// Subscribes to the daemon's signals and to changes of its owner.
  private func watchDaemon() async throws(DesktopError) {
    let rules = [
      "type='signal',sender='\(Self.name)',interface='\(Self.name)'",
      "type='signal',sender='\(BusMessage.bus)',member='NameOwnerChanged',arg0='\(Self.name)'",
    ]
    for rule in rules { try await perform(BusMessage(toBus: "AddMatch", [.string(rule)])) }
    do throws(DesktopError) {
      let call = BusMessage(toBus: "GetNameOwner", [.string(Self.name)])
      try await perform(call) { $0.noteOwner($1) }
    } catch .noDaemon {
      // The next call makes the bus start a daemon if it can.
    }
  }

  private typealias Note = @Sendable (inout NotificationLedger, BusMessage) -> Void

  /// Calls a method and records the answer in message order.
  private func perform(
    _ call: BusMessage,
    _ note: @escaping Note = { _, _ in }
  ) async throws(DesktopError) {
    let ledger = ledger
    try await bus.call(call, until: loop.now + callTime) { answer in
      ledger.state.withLock { note(&$0, answer) }
    }
  }

  private static func call(_ member: String, _ arguments: [BusValue] = []) -> BusMessage {
    BusMessage(call: member, of: name, at: path, on: name, arguments)
  }
}

// MARK: - Notifying

extension NotificationDaemon {
  package var offersActions: Bool {
    get async throws(DesktopError) { try await capabilities().contains("actions") }
  }

  /// The capabilities of the current daemon, by the specification's names.
  private func capabilities() async throws(DesktopError) -> [String] {
    if let known = ledger.state.withLock(\.capabilities) { return known }
    try await perform(Self.call("GetCapabilities")) { $0.noteCapabilities($1) }
    return ledger.state.withLock(\.capabilities) ?? []
  }

  package func show(_ notification: DesktopNotification) async throws(DesktopError) {
    try await inTurn(notification.tag) { () throws(DesktopError) in
      let capabilities = try await capabilities()
      let replaced = ledger.state.withLock { $0.id(of: notification.tag) }
      let arguments = notification.arguments(capabilities: capabilities, replacing: replaced ?? 0)
      try await perform(Self.call("Notify", arguments)) { $0.noteShown(notification, $1) }
    }
  }

  package func withdraw(_ tag: String) async throws(DesktopError) {
    try await inTurn(tag) { () throws(DesktopError) in
      guard let id = ledger.state.withLock({ $0.id(of: tag) }) else { return }
      do throws(DesktopError) {
        try await perform(Self.call("CloseNotification", [.uint32(id)]))
      } catch .refused {
        // Some daemons return an error if it is already gone.
      }
    }
  }

  package func next() async throws(DesktopError) -> DesktopEvent {
    try await bus.wait(until: nil) { ledger.state.withLock { $0.takeEvent() } }
  }

  /// Runs calls for a tag one after another: each needs the notification id of the previous one.
  private func inTurn(
    _ tag: String,
    _ body: () async throws(DesktopError) -> Void
  ) async throws(DesktopError) {
    _ = try await bus.wait(until: loop.now + callTime) {
      ledger.state.withLock { $0.begin(tag) } ? true : nil
    }
    defer {
      ledger.state.withLock { $0.end(tag) }
      bus.wakeAll()
    }
    try await body()
  }
}

extension DesktopNotification {
  fileprivate func arguments(capabilities: [String], replacing id: UInt32) -> [BusValue] {
    let offersActions = capabilities.contains("actions")
    let text = NotificationText.body(of: self, offeringActions: offersActions)
    // dunst 1.9 interprets markup without reporting it, if its configuration does not mention
    // markup: a part of a call to be approved could then be hidden.
    let readsMarkup = ["body-markup", "x-dunst-stack-tag"].contains(where: capabilities.contains)
    return [
      .string("oppi"), .uint32(id), .string(""),
      .string(NotificationText.summary(of: self)),
      .string(readsMarkup ? NotificationText.escaped(text) : text),
      .strings(offersActions ? actions.flatMap(NotificationText.words(of:)) : []),
      .dictionary(hints),
      .int32(expiryMilliseconds),
    ]
  }

  private var hints: [String: BusValue] {
    var hints: [String: BusValue] = [
      "urgency": .byte(urgency.rawValue),
      "desktop-entry": .string("oppi"),
      // Lets dunst, mako and others replace notifications of an earlier run.
      "x-canonical-private-synchronous": .string(NotificationText.stackTag(of: self)),
    ]
    if let category { hints["category"] = .string(NotificationText.name(category)) }
    if isTransient { hints["transient"] = .bool(true) }
    return hints
  }
}

/// The visible notifications and their events, derived from a daemon's messages.
///
/// Messages must be passed in the order in which the bus delivered them.
struct NotificationLedger {
  /// Bounds memory if a daemon does not report closed notifications, or sends too many events.
  private static let limit = 512

  private struct Shown {
    let id: UInt32
    let tag: String
    let keys: [String]
  }

  /// The daemon's unique name; `nil` while there is none.
  private(set) var owner: String?
  /// The daemon's capabilities, if they were queried.
  private(set) var capabilities: [String]?
  private var wasLost = false
  private var shown: [Shown] = []
  private var events: [DesktopEvent] = []
  private var busyTags: Set<String> = []

  func id(of tag: String) -> UInt32? { shown.last { $0.tag == tag }?.id }

  mutating func takeEvent() -> DesktopEvent? { events.isEmpty ? nil : events.removeFirst() }

  /// Starts a call for a tag; returns false while another is active, whose result is needed.
  mutating func begin(_ tag: String) -> Bool { busyTags.insert(tag).inserted }

  mutating func end(_ tag: String) { busyTags.remove(tag) }

  private mutating func add(_ event: DesktopEvent) {
    if events.count < Self.limit { events.append(event) }
  }
}

// MARK: - Answers

extension NotificationLedger {
  mutating func noteOwner(_ answer: BusMessage) {
    owner = answer.kind == .reply ? answer.arguments.first?.string : nil
  }

  mutating func noteCapabilities(_ answer: BusMessage) {
    capabilities = answer.kind == .reply ? answer.arguments.first?.strings : nil
  }

  /// Records that a notification is visible, with the id from the answer.
  mutating func noteShown(_ notification: DesktopNotification, _ answer: BusMessage) {
    guard answer.kind == .reply, let id = answer.arguments.first?.uint32 else { return }
    shown.removeAll { $0.id == id || $0.tag == notification.tag }
    if shown.count == Self.limit { shown.removeFirst() }
    let keys = notification.actions.map { NotificationText.name($0.key) }
    shown.append(Shown(id: id, tag: notification.tag, keys: keys))
  }
}

// MARK: - Signals

extension NotificationLedger {
  /// Handles a signal.
  ///
  /// Any program on the bus can send signals to this one: only those of the bus and of the daemon
  /// count.
  mutating func receive(_ signal: BusMessage) {
    guard signal.kind == .signal else { return }
    switch (signal.interface, signal.member) {
    case (BusMessage.bus, "NameOwnerChanged") where signal.sender == BusMessage.bus:
      let names = signal.arguments.compactMap(\.string)
      if names.count == 3, names[0] == NotificationDaemon.name { changeOwner(to: names[2]) }
    case (NotificationDaemon.name, "ActionInvoked") where isFromOwner(signal):
      guard let shown = subject(of: signal), let key = signal.arguments.last?.string,
        shown.keys.contains(key)
      else { return }
      add(.action(tag: shown.tag, key: key))
    case (NotificationDaemon.name, "NotificationClosed") where isFromOwner(signal):
      guard let gone = subject(of: signal) else { return }
      shown.removeAll { $0.id == gone.id }
    default: break
    }
  }

  private func isFromOwner(_ signal: BusMessage) -> Bool {
    owner != nil && signal.sender == owner
  }

  /// The notification that a signal is about, if it belongs to this program.
  private func subject(of signal: BusMessage) -> Shown? {
    guard signal.arguments.count == 2, let id = signal.arguments[0].uint32 else { return nil }
    return shown.first { $0.id == id }
  }

  private mutating func changeOwner(to name: String) {
    wasLost = wasLost || owner != nil
    owner = name.isEmpty ? nil : name
    capabilities = nil
    shown = []
    if owner != nil, wasLost { add(.daemonBack) }
  }
}
