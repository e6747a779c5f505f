// SPDX-License-Identifier: MIT

import Testing

@testable import OppiSystem

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
    for (expiry, expected) in [
      (.byDaemon, -1), (.never, 0), (.after(.zero), 1), (.after(.seconds(-9)), 1),
      (.after(.seconds(5)), 5000), (.after(.seconds(Int64.max)), .max),
    ] as [(DesktopNotification.Expiry, Int32)] {
      #expect(expiry.milliseconds == expected)
    }
  }
}
