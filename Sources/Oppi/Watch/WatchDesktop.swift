// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiWire

/// The notifications of a watch and their buttons; performs no input or output.
struct WatchDesktop: Sendable {
  /// The action behind a button or a click.
  enum ButtonAction: Equatable {
    case decide(RequestReply, Offer)
    /// A reply that has no effect.
    case refuse(SessionID, because: String)
    case open(SessionID)
  }

  /// A request with the buttons of its notification.
  struct Offer: Sendable, Equatable {
    var place: SessionID
    var request: HumanRequest
  }

  private struct Button {
    let key: String
    let reply: RequestReply
    let offer: Offer
    let shownAt: Duration
  }

  /// The tag of the notification for many sessions.
  static let groupTag = "group"
  /// How many buttons of replaced notifications are kept per tag: they can still be pressed.
  private static let buttonsPerTag = 8
  /// The most sessions to remember; bounds the memory of a long-running process.
  private static let tagLimit = 4096
  /// How long a note stays visible.
  private static let noteTime = Duration.seconds(10)

  private struct Shown {
    let place: SessionID
    /// The count of notifications when it was last shown.
    var order: Int
    /// The buttons that reply to a request, the latest last.
    var buttons: [Button] = []
  }

  private var shown: [String: Shown] = [:]
  private var count = 0

  init() {}

  /// All tags that may be visible.
  var tags: [String] { shown.keys + [Self.groupTag] }

  /// - Parameters:
  ///   - alert: The event.
  ///   - text: Its texts.
  ///   - request: The request in the text; `nil` offers no reply.
  ///   - now: The time since a fixed moment.
  /// - Returns: The notification.
  mutating func notification(
    of alert: Alert,
    _ text: AlertText,
    _ request: HumanRequest?,
    at now: Duration
  ) -> DesktopNotification {
    let tag = begin(alert.place)
    var notification = DesktopNotification(tag: tag, summary: text.summary)
    notification.body = text.body
    notification.category = "x-oppi.\(alert.kind.word)"
    notification.urgency = alert.urgency
    notification.expiry = alert.approval == nil ? nil : .zero
    let offer = request.map { Offer(place: alert.place, request: $0) }
    notification.actions = text.actions.compactMap { action in
      key(of: action, offer, tag, at: now).map {
        DesktopNotification.Action(key: $0, label: action.label)
      }
    }
    notification.actions.append(DesktopNotification.Action(key: Self.openKey, label: "Open"))
    notification.withoutActions = alert.approval?.commands ?? ""
    return notification
  }

  func notification(ofGroup alerts: [Alert], _ text: AlertText) -> DesktopNotification {
    var notification = DesktopNotification(tag: Self.groupTag, summary: text.summary)
    notification.body = text.body
    notification.urgency = alerts.contains { $0.approval != nil } ? .critical : .normal
    notification.withoutActions = "oppi sessions"
    return notification
  }

  /// The note with the result of a decision.
  ///
  /// - Parameters:
  ///   - text: The result.
  ///   - body: The request.
  ///   - place: The session.
  ///   - isSettled: Whether the session's notification shows a request that is settled, so that the
  ///     note replaces it; otherwise both are shown.
  /// - Returns: The note.
  func notification(
    noting text: String,
    _ body: String,
    at place: SessionID,
    isSettled: Bool
  ) -> DesktopNotification {
    let tag = Self.tag(of: place)
    var notification = DesktopNotification(tag: isSettled ? tag : "\(tag)/note", summary: text)
    notification.body = body
    notification.isTransient = true
    notification.expiry = Self.noteTime
    return notification
  }

  /// The action of a pressed key; `nil` if the tag was never shown.
  func action(_ tag: String, _ key: String, at now: Duration) -> ButtonAction? {
    guard let shown = shown[tag] else { return nil }
    guard key.hasPrefix(Self.replyMark) else { return .open(shown.place) }
    // The press may have crossed with a replacement; its key identifies the request of its own
    // button.
    guard let button = shown.buttons.first(where: { $0.key == key }) else {
      return .refuse(shown.place, because: "the notification was outdated")
    }
    let isRead = now >= button.shownAt + ApprovalPolicy.menuReading
    let isDenial = button.reply.effect(on: button.offer.request) == .deny
    guard isRead || isDenial else {
      // The press may have been meant for what was in its place before, such as the second click
      // of a double click.
      return .refuse(shown.place, because: "pressed too soon after it was shown")
    }
    return .decide(button.reply, button.offer)
  }

  // MARK: - Tags and keys

  /// The key of a click on the notification itself, from the Desktop Notifications Specification.
  private static let openKey = "default"

  /// Starts the keys of buttons that reply to a request.
  private static let replyMark = "reply:"

  /// A unique key for a button; `nil` for a reply without a request.
  private mutating func key(
    of action: ApprovalPolicy.Offer,
    _ offer: Offer?,
    _ tag: String,
    at now: Duration
  ) -> String? {
    guard let reply = action.reply else { return "open" }
    guard let offer else { return nil }
    let place = shown[tag]?.buttons.count ?? 0
    let key = "\(Self.replyMark)\(count):\(place):\(offer.request.id)"
    shown[tag]?.buttons.append(Button(key: key, reply: reply, offer: offer, shownAt: now))
    return key
  }

  /// Registers a notification for a session, and returns its tag.
  private mutating func begin(_ place: SessionID) -> String {
    let tag = Self.tag(of: place)
    count += 1
    shown[tag, default: Shown(place: place, order: count)].order = count
    let excess = (shown[tag]?.buttons.count ?? 0) - Self.buttonsPerTag
    if excess > 0 { shown[tag]?.buttons.removeFirst(excess) }
    if shown.count > Self.tagLimit,
      let oldest = shown.min(by: { $0.value.order < $1.value.order })?.key
    {
      shown[oldest] = nil
    }
    return tag
  }

  static func tag(of place: SessionID) -> String {
    "\(place.serverID.text)/\(place.sessionID)"
  }
}

extension Alert {
  fileprivate var urgency: DesktopNotification.Urgency {
    switch kind {
    case .approval(let approval, _), .expiring(let approval, _), .again(let approval, _):
      approval.needs == .approval ? .critical : .normal
    case .question, .failed: .normal
    case .finished, .runningLong: .low
    }
  }
}

extension PendingApproval {
  /// The commands that reply to the request.
  fileprivate var commands: String {
    let id = id.asOperand
    return needs == .approval
      ? "oppi approve \(id), or oppi deny \(id)" : "oppi answer \(id) VALUE"
  }
}
