// SPDX-License-Identifier: MIT

package import OppiModel
package import OppiSystem

/// What a watch shows on the desktop, and what is pressed there; no input or output.
package struct WatchDesktop: Sendable {
  /// What a person wants by a press or a click.
  package enum Wish: Equatable {
    case decide(PermissionDecision, Offer)
    /// A decision, and it is no longer known on which request.
    case outdated(SessionPlace)
    case open(SessionPlace)
  }

  /// A request as it was shown to be decided.
  package struct Offer: Sendable, Equatable {
    package var place: SessionPlace
    package var request: PermissionRequest
  }

  /// The notification of many sessions.
  static let groupTag = "group"
  /// A button of a notification that was replaced can still be pressed; so many replacements later
  /// it no longer counts.
  private static let offersPerTag = 8
  /// Sessions of which something was shown; bounds the memory of a process that runs for months.
  private static let tagLimit = 4096
  /// What was done is shown for so long.
  private static let noteTime = Duration.seconds(10)

  /// What was shown of a session.
  private struct Shown {
    let place: SessionPlace
    /// When it was shown last, as a count of notifications.
    var order: Int
    /// What was offered to be decided, by the keys of the buttons; the latest last.
    var offers: [(key: String, offer: Offer)] = []
  }

  private var shown: [String: Shown] = [:]
  private var count = 0

  package init() {}

  /// All tags under which something may be shown.
  var tags: [String] { shown.keys + [Self.groupTag] }

  /// - Parameters:
  ///   - alert: What is told.
  ///   - text: The same in words.
  ///   - request: The request that the words show; without it nothing is offered to be decided.
  /// - Returns: The notification.
  package mutating func notification(
    of alert: Alert,
    _ text: AlertText,
    _ request: PermissionRequest?
  ) -> DesktopNotification {
    let tag = begin(alert.place)
    var notification = DesktopNotification(tag: tag, summary: text.summary)
    notification.body = text.body
    notification.category = "x-oppi.\(alert.kind.word)"
    notification.urgency =
      switch alert.kind {
      case .approval, .expiring: .critical
      case .question, .failed: .normal
      case .finished, .runningLong: .low
      }
    notification.expiry = alert.approval == nil ? .byDaemon : .never
    let offer = request.map { Offer(place: alert.place, request: $0) }
    notification.actions = text.actions.compactMap { action in
      key(of: action, offer, tag).map { DesktopNotification.Action(key: $0, label: action.label) }
    }
    notification.actions.append(DesktopNotification.Action(key: Self.openKey, label: "Open"))
    notification.withoutActions =
      alert.approval.map { "oppi approve \($0.id), or oppi deny \($0.id)" } ?? ""
    return notification
  }

  func notification(ofGroup alerts: [Alert], _ text: AlertText) -> DesktopNotification {
    var notification = DesktopNotification(tag: Self.groupTag, summary: text.summary)
    notification.body = text.body
    notification.urgency = alerts.contains { $0.approval != nil } ? .critical : .normal
    notification.withoutActions = "oppi sessions"
    return notification
  }

  /// What came of a decision, in the place of what was shown of the session.
  ///
  /// - Parameters:
  ///   - text: What came of it.
  ///   - body: What was decided.
  ///   - place: The session.
  ///   - isSettled: Whether nothing more is asked for; otherwise the note is shown beside the request.
  /// - Returns: The note.
  func notification(
    noting text: String,
    _ body: String,
    at place: SessionPlace,
    isSettled: Bool
  ) -> DesktopNotification {
    let tag = Self.tag(of: place)
    var notification = DesktopNotification(tag: isSettled ? tag : "\(tag)/note", summary: text)
    notification.body = body
    notification.isTransient = true
    notification.expiry = .after(Self.noteTime)
    return notification
  }

  /// What a press stands for; `nil` for one of what was never shown.
  package func wish(_ tag: String, _ key: String) -> Wish? {
    guard let shown = shown[tag] else { return nil }
    let word = key.prefix { $0 != ":" }
    guard ["approve", "deny"].contains(word) else { return .open(shown.place) }
    // A press may cross with a replacement: it counts for what its own button was about.
    guard let offer = shown.offers.first(where: { $0.key == key })?.offer else {
      return .outdated(shown.place)
    }
    return .decide(word == "approve" ? .allow : .deny, offer)
  }

  // MARK: - Tags and keys

  /// A click on the notification itself, by the specification.
  private static let openKey = "default"

  /// The key of a button, which no other notification has; `nil` where there is nothing to decide.
  private mutating func key(
    of action: AlertText.Action,
    _ offer: Offer?,
    _ tag: String
  ) -> String? {
    let word =
      switch action {
      case .approve: "approve"
      case .deny: "deny"
      case .open: "open"
      }
    guard action != .open else { return word }
    guard let offer else { return nil }
    let key = "\(word):\(count):\(offer.request.id)"
    shown[tag]?.offers.append((key, offer))
    return key
  }

  /// Notes that something is about to be shown of a session, and returns its tag.
  private mutating func begin(_ place: SessionPlace) -> String {
    let tag = Self.tag(of: place)
    count += 1
    shown[tag, default: Shown(place: place, order: count)].order = count
    let excess = (shown[tag]?.offers.count ?? 0) - Self.offersPerTag
    if excess > 0 { shown[tag]?.offers.removeFirst(excess) }
    if shown.count > Self.tagLimit,
      let oldest = shown.min(by: { $0.value.order < $1.value.order })?.key
    {
      shown[oldest] = nil
    }
    return tag
  }

  package static func tag(of place: SessionPlace) -> String {
    "\(place.serverID.text)/\(place.sessionID)"
  }
}
