// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiText
import OppiWire
import TestSupport
import Testing

@testable import Oppi

/// The actions of notification buttons.
@Suite struct WatchDesktopTests {
  private var desktop = WatchDesktop()

  private mutating func show(
    _ id: String,
    in session: String,
    at now: Duration = .zero
  ) -> DesktopNotification {
    let request = HumanRequest.call(id, "git push", in: session)
    let pending = PendingApproval(request, clockOffset: .zero)
    let alert = Alert.sample(.approval(pending, of: 1), .sample(session, .waiting))
    let offers = [
      ApprovalPolicy.Offer("Approve", .decision(.allow)),
      request.offeredRefusal,
    ]
    let text = AlertText("Waiting for approval", actions: offers + [.open])
    return desktop.notification(of: alert, text, request, at: now)
  }

  /// The request that a button decides; `nil` if it decides none.
  private func decided(_ label: String, _ notification: DesktopNotification) -> String? {
    guard let action = notification.actions.first(where: { $0.label == label }),
      case .decide(_, let offer)? = desktop.action(notification.tag, action.key, at: .seconds(1))
    else { return nil }
    return offer.request.id
  }

  @Test("every button decides its own request, regardless of how many were shown")
  mutating func many() {
    let first = show("first", in: "other")
    for number in 1...1200 {
      let notification = show("r\(number)", in: "S")
      #expect(decided("Approve", notification) == "r\(number)")
      #expect(decided("Deny", notification) == "r\(number)")
    }
    #expect(decided("Approve", first) == "first")
  }

  @Test("a button of a replaced notification decides the request that it showed")
  mutating func replaced() {
    let earlier = show("r1", in: "S")
    let later = show("r2", in: "S")
    #expect(decided("Approve", earlier) == "r1")
    #expect(decided("Approve", later) == "r2")
  }

  @Test("a button that was replaced many times is outdated and does not open the session")
  mutating func outdated() throws {
    let old = show("old", in: "S")
    for number in 1...20 { _ = show("r\(number)", in: "S") }
    let key = try #require(old.actions.first { $0.label == "Approve" }?.key)
    let reason = "the notification was outdated"
    let outdated = WatchDesktop.ButtonAction.refuse(SessionID.sample(), because: reason)
    #expect(desktop.action(old.tag, key, at: .seconds(1)) == outdated)
    #expect(desktop.action("elsewhere/S", key, at: .seconds(1)) == nil)
  }

  @Test("a positive reply counts a second after the notification was shown, a denial at once")
  mutating func hasty() throws {
    let notification = show("r", in: "S")
    let reason = "pressed too soon after it was shown"
    let hasty = WatchDesktop.ButtonAction.refuse(SessionID.sample(), because: reason)
    for (label, isEarly) in [("Approve", true), ("Deny", false)] {
      let key = try #require(notification.actions.first { $0.label == label }?.key)
      let action = desktop.action(notification.tag, key, at: .milliseconds(999))
      #expect((action == hasty) == isEarly, "\(label)")
      #expect(decided(label, notification) == "r")
    }
  }

  @Test(
    "a positive reply counts a second after its own notification, however long others were shown"
  )
  mutating func hastyLater() throws {
    let first = show("r1", in: "S")
    // A repeated request has a notification of its own, too.
    for (id, shownAt) in [("r2", 60), ("r2", 120), ("r3", 180)] {
      let later = show(id, in: "S", at: .seconds(shownAt))
      _ = show("other", in: "T", at: .seconds(shownAt - 30))
      let key = try #require(later.actions.first { $0.label == "Approve" }?.key)
      let early = desktop.action(later.tag, key, at: .seconds(shownAt) + .milliseconds(999))
      let reason = "pressed too soon after it was shown"
      #expect(early == .refuse(SessionID.sample(), because: reason), "\(id) at \(shownAt)")
      guard case .decide? = desktop.action(later.tag, key, at: .seconds(shownAt + 1)) else {
        Issue.record("\(id) at \(shownAt)")
        continue
      }
    }
    #expect(decided("Approve", first) == "r1")
  }

  @Test("a positive reply to a request that was shown often counts a second after the last time")
  mutating func hastyAgain() throws {
    for minute in 0..<20 {
      let shownAt = Duration.seconds(60 * minute)
      let later = show("r", in: "S", at: shownAt)
      let key = try #require(later.actions.first { $0.label == "Approve" }?.key)
      let early = desktop.action(later.tag, key, at: shownAt + .milliseconds(999))
      let reason = "pressed too soon after it was shown"
      #expect(early == .refuse(SessionID.sample(), because: reason), "\(minute)")
    }
  }

  private static let decision = PendingApproval.sample("r")
  private static let dialog = PendingApproval(
    .question(UserQuestion(id: "q", method: "select", body: ["title": "Make it?"])),
    clockOffset: .zero
  )

  @Test(
    "a pending request stays, decisions are most urgent and have commands for use without buttons",
    arguments: [
      (.approval(decision, of: 1), .critical), (.expiring(decision, of: 1), .critical),
      (.again(decision, of: 1), .critical), (.approval(dialog, of: 1), .normal),
      (.question(.init(id: "S", text: "Which one?")), .normal), (.failed("no credit"), .normal),
      (.finished(.finished), .low), (.runningLong, .low),
    ] as [(Alert.Kind, DesktopNotification.Urgency)]
  )
  mutating func kinds(kind: Alert.Kind, urgency: DesktopNotification.Urgency) {
    let alert = Alert.sample(kind)
    let shown = desktop.notification(of: alert, AlertText("Summary"), nil, at: .zero)
    #expect(shown.urgency == urgency)
    #expect(shown.expiry == (alert.approval == nil ? nil : .zero))
    let commands = ["r": "oppi approve r, or oppi deny r", "q": "oppi answer q VALUE"]
    #expect(shown.withoutActions == alert.approval.map { commands[$0.id] ?? "" } ?? "")
  }

  @Test("the notification of many sessions is urgent if one of them needs a decision")
  func group() {
    let (end, request) = (Alert.sample(.runningLong), Alert.sample(.approval(.sample("r"), of: 1)))
    for (alerts, urgency) in [
      ([end, request], DesktopNotification.Urgency.critical), ([end, end], .normal),
    ] {
      let shown = desktop.notification(ofGroup: alerts, AlertText("2 session updates"))
      #expect(shown.urgency == urgency && shown.tag == WatchDesktop.groupTag)
    }
    #expect(desktop.tags == [WatchDesktop.groupTag])
  }

  @Test("the result of a decision replaces the notification of a settled request only")
  func notes() {
    let place = SessionID.sample()
    let tag = WatchDesktop.tag(of: place)
    let settled = desktop.notification(noting: "Denied", "", at: place, isSettled: true)
    #expect(settled.tag == tag && settled.isTransient && settled.expiry == .seconds(10))
    let open = desktop.notification(noting: "Not decided", "", at: place, isSettled: false)
    #expect(open.tag == "\(tag)/note")
  }

  @Test("of too many sessions, the one whose notification is the oldest loses its buttons")
  mutating func forgets() {
    _ = show("r1", in: "s1")
    let oldest = show("r2", in: "s2")
    for number in 3...4096 { _ = show("r\(number)", in: "s\(number)") }
    let again = show("r1", in: "s1")
    #expect(decided("Approve", oldest) == "r2")
    let last = show("r4097", in: "s4097")
    #expect(decided("Approve", oldest) == nil)
    #expect(decided("Approve", again) == "r1" && decided("Approve", last) == "r4097")
  }

  @Test("tags differ if the server ids differ in one bit or the sessions differ")
  func tags() {
    let digest = (0..<32).map { UInt8($0) }
    let tag = WatchDesktop.tag(of: SessionID(serverID: Fingerprint(digest: digest), sessionID: "S"))
    for byte in 0..<32 {
      var other = digest
      other[byte] ^= 1
      let place = SessionID(serverID: Fingerprint(digest: other), sessionID: "S")
      #expect(WatchDesktop.tag(of: place) != tag, "\(byte)")
    }
    let other = SessionID(serverID: Fingerprint(digest: digest), sessionID: "T")
    #expect(WatchDesktop.tag(of: other) != tag)
  }
}
