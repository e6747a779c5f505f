// SPDX-License-Identifier: MIT

import OppiText
import TestSupport
import Testing

@testable import OppiSystem

/// Tests with a real `dbus-daemon`.
@Suite(.enabled(if: PrivateBus.isInstalled, "dbus-daemon is not installed"))
struct NotificationDaemonTests {
  @Test("a notification is sent with all its parts")
  func arguments() throws {
    let shown = try DesktopSession.run { session in
      try await session.desktop.show(.request)
      return session.fake.record.shown
    }
    let expected = FakeNotificationDaemon.Shown(
      id: 1,
      replaced: 0,
      program: "oppi",
      summary: "Permission: bash",
      body: "rm -rf build",
      actions: ["approve", "Approve", "deny", "Deny"],
      hints: [
        "urgency": .byte(2), "desktop-entry": .string("oppi"),
        "category": .string("x-oppi.approval"),
        "x-canonical-private-synchronous": .string("oppi-request-1"),
      ],
      timeout: 0
    )
    #expect(shown == [expected])
  }

  @Test("a notification replaces the visible one with its tag")
  func replacement() throws {
    let record = try DesktopSession.run { session in
      try await session.desktop.show(.request)
      var other = DesktopNotification.request
      other.tag = "other"
      try await session.desktop.show(other)
      try await session.desktop.show(.request)
      try session.fake.close(1, reason: 1)
      // The press is delivered after the close.
      try session.fake.press("deny", of: 2)
      #expect(try await session.desktop.next() == .action(tag: "other", key: "deny"))
      try await session.desktop.show(.request)
      return session.fake.record
    }
    #expect(record.shown.map(\.replaced) == [0, 0, 1, 0])
    #expect(record.shown.map(\.id) == [1, 2, 1, 3])
  }

  @Test("calls for one tag are serialized")
  func turns() throws {
    let record = try DesktopSession.run { session in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<20 { group.addTask { try await session.desktop.show(.request) } }
        try await group.waitForAll()
      }
      async let showing: Void = session.desktop.show(DesktopNotification(tag: "b", summary: "b"))
      try await session.fake.waitUntil { $0.shown.count == 21 }
      try await session.desktop.withdraw("b")
      try await showing
      return session.fake.record
    }
    #expect(record.shown.map(\.id) == Array(repeating: 1, count: 20) + [2])
    #expect(record.withdrawn == [2])
  }

  @Test("a notification is withdrawn by its tag, and only if it is visible")
  func withdrawal() throws {
    let record = try DesktopSession.run { session in
      try await session.desktop.withdraw("request-1")
      try await session.desktop.show(.request)
      try await session.desktop.withdraw("request-1")
      try await session.desktop.withdraw("request-1")
      return session.fake.record
    }
    #expect(record.withdrawn == [1])
  }

  @Test("a daemon without buttons gets the alternative text")
  func noActions() throws {
    let (offersActions, shown) = try DesktopSession.run(capabilities: ["body"]) { session in
      try await session.desktop.show(.request)
      return (try await session.desktop.offersActions, session.fake.record.shown)
    }
    #expect(!offersActions)
    #expect(shown.map(\.actions) == [[]])
    #expect(shown.map(\.body) == ["rm -rf build\nanswer with: oppi approve"])
  }

  @Test("dunst gets an escaped body even if it reports no markup support")
  func dunst() throws {
    let shown = try DesktopSession.run(capabilities: ["body", "x-dunst-stack-tag"]) { session in
      var notification = DesktopNotification(tag: "a", summary: "<a>")
      notification.body = "<b>&"
      try await session.desktop.show(notification)
      return session.fake.record.shown
    }
    #expect(shown.map(\.summary) == ["<a>"])
    #expect(shown.map(\.body) == ["&lt;b&gt;&amp;"])
  }

  @Test(
    "control characters and markup in texts are made harmless",
    arguments: [true, false]
  )
  func hostileText(hasMarkup: Bool) throws {
    var notification = DesktopNotification.request
    let nasty = String(decoding: [0xFF, 0xC3, 0x28, 0xED, 0xA0, 0x80] as [UInt8], as: UTF8.self)
    notification.summary = "<b>\(nasty)\0\u{1B}[2J\u{202E}\u{FFFE}\u{10FFFF}&"
    notification.body =
      "<img src=x>\0\u{1B}]8;;x\u{7}\n" + String(repeating: "&<\0\n", count: 1 << 18)
    notification.actions = [.init(key: "a\0b\u{1B}[m", label: "\u{202E}<i>\n")]
    notification.category = "\u{FFFF}x\0y"
    notification.tag = String(repeating: "\u{1F468}\u{200D}", count: 10_000)
    let shown = try DesktopSession.run(
      capabilities: hasMarkup ? FakeNotificationDaemon.allCapabilities : ["actions", "body"]
    ) { [notification] session in
      try await session.desktop.show(notification)
      return session.fake.record.shown
    }
    let only = try #require(shown.first)
    #expect(only.summary.hasPrefix("<b>\u{FFFD}"))
    #expect(only.summary.hasSuffix("&"))
    #expect(only.body.hasPrefix(hasMarkup ? "&lt;img src=x&gt;\n&amp;&lt;" : "<img src=x>\n&<"))
    #expect(only.body.count < 10 * NotificationText.bodyLimit)
    #expect(only.actions == ["ab", "<i>"])
    for text in [only.summary, only.body] + only.actions + only.hints.values.compactMap(\.string) {
      #expect(text == text.safeBlock())
    }
  }

  @Test("another program on the bus cannot press a button")
  func forgery() throws {
    let event = try DesktopSession.run { session in
      try await session.desktop.show(.request)
      let other = try await SessionBus.connect(
        to: session.bus.address,
        on: session.loop,
        until: .farOff
      ) { _ in }
      var forged = BusMessage(.signal, [.uint32(1), .string("approve")])
      forged.path = NotificationDaemon.path
      forged.interface = NotificationDaemon.name
      forged.member = "ActionInvoked"
      try other.send(forged)
      // A call on the same connection is delivered after the forged signal.
      try await other.call(BusMessage(toBus: "GetId", []), until: .farOff)
      try session.fake.press("deny", of: 1)
      return try await session.desktop.next()
    }
    #expect(event == .action(tag: "request-1", key: "deny"))
  }
}
