// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// What a watch shows on the desktop, and what is pressed there; no input or output.
struct WatchDesktop: Sendable {
  /// What a person wants by a press or a click.
  enum Wish: Equatable {
    case decide(PermissionDecision, requestID: String, at: SessionPlace)
    case open(SessionPlace)
  }

  /// The notification of many sessions.
  static let groupTag = "group"
  /// Nobody presses what is older than so many others.
  private static let offerLimit = 1000
  /// What was done is shown for so long.
  private static let noteTime = Duration.seconds(10)

  /// The sessions of what was shown, by the tags.
  private var places: [String: SessionPlace] = [:]
  /// What was offered to be decided.
  private var offered: Set<String> = []

  /// All tags under which something may be shown.
  var tags: [String] { places.keys + [Self.groupTag] }

  mutating func notification(of alert: Alert, _ text: AlertText) -> DesktopNotification {
    var notification = DesktopNotification(tag: tag(of: alert.place), summary: text.summary)
    notification.body = text.body
    notification.category = "x-oppi.\(alert.kind.word)"
    notification.urgency =
      switch alert.kind {
      case .approval, .expiring: .critical
      case .question, .failed: .normal
      case .finished, .runningLong: .low
      }
    notification.expiry = alert.approval == nil ? .byDaemon : .never
    notification.actions = text.actions.map { action in
      DesktopNotification.Action(key: key(of: action), label: action.label)
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
  func notification(noting text: String, _ body: String, at place: SessionPlace)
    -> DesktopNotification
  {
    var notification = DesktopNotification(tag: Self.tag(of: place), summary: text)
    notification.body = body
    notification.isTransient = true
    notification.expiry = .after(Self.noteTime)
    return notification
  }

  /// What a press stands for; `nil` for one of what was never offered.
  func wish(_ tag: String, _ key: String) -> Wish? {
    guard let place = places[tag] else { return nil }
    let parts = key.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count > 1 ? parts[1] : nil) {
    case ("approve", let id?):
      return offered.contains(key) ? .decide(.allow, requestID: id, at: place) : nil
    case ("deny", let id?):
      return offered.contains(key) ? .decide(.deny, requestID: id, at: place) : nil
    default: return .open(place)
    }
  }

  // MARK: - Tags and keys

  /// A click on the notification itself, by the specification.
  private static let openKey = "default"

  private mutating func key(of action: AlertText.Action) -> String {
    let key =
      switch action {
      case .approve(let id): "approve:\(id)"
      case .deny(let id): "deny:\(id)"
      case .open: "open"
      }
    if offered.count > Self.offerLimit { offered = [] }
    offered.insert(key)
    return key
  }

  private mutating func tag(of place: SessionPlace) -> String {
    let tag = Self.tag(of: place)
    places[tag] = place
    return tag
  }

  static func tag(of place: SessionPlace) -> String {
    "\(place.serverID.text.suffix(8))/\(place.sessionID)"
  }
}
