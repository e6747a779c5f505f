// SPDX-License-Identifier: MIT

import OppiModel
import OppiRendering
import OppiSystem

/// What a watch shows on the desktop, and what is pressed there; no input or output.
struct WatchDesktop: Sendable {
  /// What a person wants by a press or a click.
  enum Wish: Equatable {
    case decide(PermissionDecision, Offer)
    case open(SessionPlace)
  }

  /// A request as it was shown to be decided.
  struct Offer: Sendable, Equatable {
    var place: SessionPlace
    var request: PermissionRequest
  }

  /// The notification of many sessions.
  static let groupTag = "group"
  /// Nobody presses what is older than so many others.
  private static let offerLimit = 1000
  /// What was done is shown for so long.
  private static let noteTime = Duration.seconds(10)

  /// The sessions of what was shown, by the tags.
  private var places: [String: SessionPlace] = [:]
  /// What was offered to be decided, by the keys of its buttons.
  private var offers: [String: Offer] = [:]
  private var offerCount = 0

  /// All tags under which something may be shown.
  var tags: [String] { places.keys + [Self.groupTag] }

  /// - Parameters:
  ///   - alert: What is told.
  ///   - text: The same in words.
  ///   - request: The request that the words show; without it nothing is offered to be decided.
  /// - Returns: The notification.
  mutating func notification(
    of alert: Alert,
    _ text: AlertText,
    _ request: PermissionRequest?
  ) -> DesktopNotification {
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
    let offer = request.map { Offer(place: alert.place, request: $0) }
    notification.actions = text.actions.compactMap { action in
      key(of: action, offer).map { DesktopNotification.Action(key: $0, label: action.label) }
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
    let word = key.prefix { $0 != ":" }
    guard ["approve", "deny"].contains(word) else { return .open(place) }
    // A press may cross with a replacement: it counts for what its own button was about.
    guard let offer = offers[key], offer.place == place else { return nil }
    return .decide(word == "approve" ? .allow : .deny, offer)
  }

  // MARK: - Tags and keys

  /// A click on the notification itself, by the specification.
  private static let openKey = "default"

  /// The key of a button, which no other notification has; `nil` where there is nothing to decide.
  private mutating func key(of action: AlertText.Action, _ offer: Offer?) -> String? {
    let word =
      switch action {
      case .approve: "approve"
      case .deny: "deny"
      case .open: "open"
      }
    guard action != .open else { return word }
    guard let offer else { return nil }
    if offers.count > Self.offerLimit { offers = [:] }
    offerCount += 1
    let key = "\(word):\(offerCount):\(offer.request.id)"
    offers[key] = offer
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
