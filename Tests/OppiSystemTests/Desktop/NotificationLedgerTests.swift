// SPDX-License-Identifier: MIT

import Testing

@testable import OppiSystem

@Suite struct NotificationLedgerTests {
  private var ledger = NotificationLedger()

  init() {
    ledger.noteOwner(Self.reply([.string(":1.7")]))
    ledger.noteCapabilities(Self.reply([.strings(["actions"])]))
  }

  private static func reply(_ arguments: [BusValue]) -> BusMessage { BusMessage(.reply, arguments) }

  private static func signal(
    _ member: String,
    _ arguments: [BusValue],
    from sender: String = ":1.7",
    interface: String = NotificationDaemon.name
  ) -> BusMessage {
    var signal = BusMessage(.signal, arguments)
    (signal.member, signal.sender, signal.interface) = (member, sender, interface)
    return signal
  }

  private static func owner(
    _ old: String,
    _ new: String,
    from sender: String = BusMessage.bus
  ) -> BusMessage {
    signal(
      "NameOwnerChanged",
      [.string(NotificationDaemon.name), .string(old), .string(new)],
      from: sender,
      interface: BusMessage.bus
    )
  }

  private mutating func show(_ tag: String, as id: UInt32, keys: [String] = ["yes"]) {
    var notification = DesktopNotification(tag: tag, summary: tag)
    notification.actions = keys.map { .init(key: $0, label: $0) }
    ledger.noteShown(notification, Self.reply([.uint32(id)]))
  }

  private mutating func events() -> [DesktopEvent] {
    var events: [DesktopEvent] = []
    while let event = ledger.takeEvent() { events.append(event) }
    return events
  }

  @Test("a press is accepted only from the daemon, for a visible notification and an offered key")
  mutating func presses() {
    show("a", as: 1)
    let press: [BusValue] = [.uint32(1), .string("yes")]
    ledger.receive(Self.signal("ActionInvoked", press, from: ":1.66"))
    ledger.receive(Self.signal("ActionInvoked", press, interface: "org.example.Other"))
    ledger.receive(Self.signal("ActionInvoked", [.uint32(2), .string("yes")]))
    ledger.receive(Self.signal("ActionInvoked", [.uint32(1), .string("no")]))
    ledger.receive(Self.signal("ActionInvoked", [.string("yes")]))
    ledger.receive(Self.signal("ActionInvoked", [.string("1"), .string("yes")]))
    ledger.receive(Self.signal("ActionInvoked", [.uint32(1), .strings(["yes"])]))
    var call = Self.signal("ActionInvoked", press)
    call.kind = .call
    ledger.receive(call)
    #expect(events().isEmpty)
    ledger.receive(Self.signal("ActionInvoked", press))
    #expect(events() == [.action(tag: "a", key: "yes")])
  }

  @Test("a closed notification is forgotten, for any reason")
  mutating func ends() {
    for reason in [0, 1, 2, 3, 4, 99] as [UInt32] {
      show("a", as: 1)
      ledger.receive(
        Self.signal("NotificationClosed", [.uint32(1), .uint32(reason)], from: ":1.66")
      )
      #expect(ledger.id(of: "a") == 1)
      ledger.receive(Self.signal("NotificationClosed", [.uint32(1), .uint32(reason)]))
      #expect(ledger.id(of: "a") == nil)
    }
  }

  @Test("a notification replaces the one with its tag, and an id belongs to one tag")
  mutating func replacement() {
    show("a", as: 1)
    show("a", as: 2, keys: ["other"])
    ledger.receive(Self.signal("ActionInvoked", [.uint32(1), .string("yes")]))
    ledger.receive(Self.signal("ActionInvoked", [.uint32(2), .string("yes")]))
    ledger.receive(Self.signal("ActionInvoked", [.uint32(2), .string("other")]))
    #expect(events() == [.action(tag: "a", key: "other")])
    show("b", as: 2)
    #expect(ledger.id(of: "a") == nil && ledger.id(of: "b") == 2)
  }

  @Test(
    "the end of the daemon clears its notifications and capabilities, and only the bus reports it"
  )
  mutating func daemons() {
    show("a", as: 1)
    ledger.receive(Self.owner(":1.7", "", from: ":1.66"))
    #expect(events().isEmpty)
    ledger.receive(Self.owner(":1.7", ""))
    #expect(events().isEmpty)
    #expect(ledger.id(of: "a") == nil && ledger.capabilities == nil)
    show("b", as: 1)
    ledger.receive(Self.signal("ActionInvoked", [.uint32(1), .string("yes")]))
    ledger.receive(Self.owner("", ":1.8"))
    ledger.receive(Self.signal("ActionInvoked", [.uint32(1), .string("yes")]))
    #expect(events() == [.daemonBack])
    ledger.receive(Self.owner(":1.8", ":1.9"))
    #expect(events() == [.daemonBack])
  }

  @Test("the first daemon is not reported as back")
  mutating func firstDaemon() {
    ledger = NotificationLedger()
    ledger.receive(Self.owner("", ":1.8"))
    #expect(ledger.owner == ":1.8" && events().isEmpty)
  }

  @Test("a reply that is an error or has no number shows nothing")
  mutating func refusals() {
    let notification = DesktopNotification(tag: "a", summary: "a")
    ledger.noteShown(notification, BusMessage(.error, [.uint32(1)]))
    ledger.noteShown(notification, Self.reply([]))
    ledger.noteShown(notification, Self.reply([.string("1")]))
    #expect(ledger.id(of: "a") == nil)
  }

  @Test("notifications and events are bounded")
  mutating func limits() {
    for id in 1...2000 { show("\(id)", as: UInt32(id)) }
    #expect(ledger.id(of: "1") == nil && ledger.id(of: "2000") == 2000)
    for _ in 0..<2000 {
      ledger.receive(Self.signal("ActionInvoked", [.uint32(2000), .string("yes")]))
    }
    #expect(events().count < 1000)
  }
}
