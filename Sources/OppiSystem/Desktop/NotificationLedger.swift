// SPDX-License-Identifier: MIT

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
      let reason = signal.arguments.last?.uint32.flatMap(DesktopEvent.CloseReason.init) ?? .other
      shown.removeAll { $0.id == gone.id }
      add(.closed(tag: gone.tag, reason: reason))
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
    let previous = owner
    owner = name.isEmpty ? nil : name
    capabilities = nil
    shown = []
    if previous != nil {
      wasLost = true
      add(.daemonGone)
    }
    if owner != nil, wasLost { add(.daemonBack) }
  }
}
