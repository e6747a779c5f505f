// SPDX-License-Identifier: MIT

import EventLoop
import Foundation
import OppiText
import TestSupport
import Testing

@testable import OppiSystem

@Suite struct NotificationProgramTests {
  private let scratch: Scratch

  init() throws { scratch = try Scratch() }

  private func script(_ text: String) throws -> String {
    try scratch.writeScript(text, to: "program")
  }

  private static func show(
    _ notification: DesktopNotification,
    by make: @escaping @Sendable (EventLoop) -> NotificationProgram
  ) throws -> DesktopError? {
    try onLoop { loop in
      await DesktopError.thrown(by: { () throws(DesktopError) in
        try await make(loop).show(notification)
      })
    }
  }

  @Test("notify-send gets escaped text and all options")
  func notifySend() throws {
    let program = try script("printf '%s\\n' \"$@\" >'\(scratch.path("words"))'")
    var notification = DesktopNotification.request
    notification.tag = "a:b"
    notification.body = #"<b> \n"#
    notification.isTransient = true
    #expect(try Self.show(notification) { .init(.notifySend, [program], on: $0) } == nil)
    let expected = """
      -a
      oppi
      -u
      critical
      -c
      x-oppi.approval
      -t
      0
      -h
      int:transient:1
      -h
      string:desktop-entry:oppi
      -h
      string:x-canonical-private-synchronous:oppi-a/b
      --
      Permission: bash
      &lt;b&gt; \\\\n
      answer with: oppi approve

      """
    #expect(scratch.read("words") == expected)
  }

  @Test(
    "the real notify-send shows the notification",
    .enabled(if: PrivateBus.isInstalled && has("notify-send"), "notify-send is not installed")
  )
  func realNotifySend() throws {
    var notification = DesktopNotification.request
    notification.body = #"-x \303 \\ <b>"#
    notification.summary = "--help"
    notification.isTransient = true
    let bus = try PrivateBus()
    let program = try script(
      "exec env DBUS_SESSION_BUS_ADDRESS='\(bus.address.text)' notify-send \"$@\""
    )
    let shown = try onLoop { [notification] loop in
      let fake = try await FakeNotificationDaemon(at: bus.address, on: loop)
      return try await DesktopSession.serving(fake) {
        try await NotificationProgram(.notifySend, [program], on: loop).show(notification)
        return fake.record.shown
      }
    }
    let only = try #require(shown.first)
    #expect(only.program == "oppi" && only.summary == "--help" && only.timeout == 0)
    #expect(only.body == #"-x \303 \\ &lt;b&gt;"# + "\nanswer with: oppi approve")
    #expect(only.hints["urgency"] == .byte(2))
    #expect(only.hints["category"] == .string("x-oppi.approval"))
    #expect(only.hints["x-canonical-private-synchronous"] == .string("oppi-request-1"))
  }

  @Test("the user's command gets one JSON object, and its output is ignored")
  func command() throws {
    let file = scratch.path("event")
    let program = try script("cat >'\(file)'; echo \"$1\" >>'\(file)'; yes | head -c 3000000")
    let failure = try Self.show(.request) { .init(.json, [program, "topic"], on: $0) }
    #expect(failure == nil)
    let lines = try #require(scratch.read("event")).split(separator: "\n").map(String.init)
    try #require(lines.count == 2 && lines[1] == "topic")
    let json = try JSONValue(parsing: Array(lines[0].utf8))
    #expect(
      json == [
        "type": "notification", "tag": "request-1", "summary": "Permission: bash",
        "body": "rm -rf build\nanswer with: oppi approve", "urgency": "critical",
        "category": "x-oppi.approval",
      ]
    )
  }

  @Test("a command that fails, hangs or is missing is reported, and one that hangs is killed")
  func failures() throws {
    let failing = try Self.show(.request) { .init(.json, ["sh", "-c", "cat; exit 3"], on: $0) }
    #expect(failing == .failed(program: "sh", status: 3))
    let hanging = try Self.show(.request) {
      .init(.json, ["sh", "-c", "cat; sleep 1000"], limit: .milliseconds(50), on: $0)
    }
    #expect(hanging == .timedOut)
    let missing = try Self.show(.request) { .init(.json, ["/nowhere/at-all"], on: $0) }
    let cause = SystemError("posix_spawn", code: ENOENT)
    #expect(missing == .cannotStart(program: "/nowhere/at-all", cause))
  }

  @Test("a program reports no events")
  func silence() throws {
    let (offersActions, failure) = try onLoop { loop in
      let program = NotificationProgram(.json, ["true"], on: loop)
      program.withdraw("request-1")
      let failure = await DesktopError.thrown(byCancelled: { () throws(DesktopError) in
        try await program.next()
      })
      return (program.offersActions, failure)
    }
    #expect(!offersActions)
    #expect(failure == .cancelled)
  }
}

@Suite struct NotificationTextTests {
  private static func notification(
    summary: String = "s",
    body: String = ""
  ) -> DesktopNotification {
    var notification = DesktopNotification(tag: "t", summary: summary)
    notification.body = body
    notification.actions = [.init(key: "yes", label: "Yes")]
    notification.withoutActions = "run: oppi\n"
    return notification
  }

  @Test("the alternative text is added only if there are buttons that cannot be shown")
  func withoutActions() {
    var notification = Self.notification(body: "body")
    #expect(NotificationText.body(of: notification, offeringActions: true) == "body")
    #expect(NotificationText.body(of: notification, offeringActions: false) == "body\nrun: oppi")
    notification.body = ""
    #expect(NotificationText.body(of: notification, offeringActions: false) == "run: oppi")
    notification.actions = []
    #expect(NotificationText.body(of: notification, offeringActions: false).isEmpty)
  }

  @Test("a long text is truncated and marked")
  func limits() {
    let long = String(repeating: "ä", count: 1 << 20)
    let notification = Self.notification(summary: long, body: long)
    let summary = NotificationText.summary(of: notification)
    let body = NotificationText.body(of: notification, offeringActions: true)
    #expect(summary.count == NotificationText.summaryLimit && summary.hasSuffix("…"))
    #expect(body.count == NotificationText.bodyLimit && body.hasSuffix("…"))
  }

  @Test("control characters are removed, line breaks of a body are kept, markup is escaped")
  func safety() {
    let notification = Self.notification(
      summary: "a\u{1B}[31mb\nc\u{202E}d\0",
      body: "1\0\u{1B}]0;x\u{7}\n2\u{2066}<b>&amp;\u{7F}"
    )
    #expect(NotificationText.summary(of: notification) == "ab cd")
    let body = NotificationText.body(of: notification, offeringActions: true)
    #expect(body == "1\n2<b>&amp;")
    #expect(NotificationText.escaped(body) == "1\n2&lt;b&gt;&amp;amp;")
  }

  @Test("an invisible summary is replaced with the name of the program")
  func emptySummary() {
    #expect(NotificationText.summary(of: Self.notification(summary: "\u{200B}\n")) == "oppi")
  }

  @Test("an expiry is converted to the milliseconds of the specification")
  func expiry() {
    var notification = Self.notification()
    for (expiry, expected) in [
      (nil, -1), (.zero, 0), (.seconds(5), 5000), (.seconds(Int64.max), .max),
    ] as [(Duration?, Int32)] {
      notification.expiry = expiry
      #expect(notification.expiryMilliseconds == expected)
    }
  }
}
