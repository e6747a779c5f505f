// SPDX-License-Identifier: MIT

/// The rules for decisions on tool calls: what may be approved on which surface, and why not.
///
/// Everything that offers or sends a decision asks here. A denial is always possible. An approval
/// needs the whole request, and a surface on which a person has seen all of it or names it by its id.
package enum ApprovalPolicy {
  /// Where a person decides.
  package enum Surface: Sendable, Equatable {
    /// A command that names the request by its id.
    case command
    /// The line-by-line chat, which has printed the whole request.
    case lines
    /// The full-screen chat, which scrolls through the request.
    case panel(isEndSeen: Bool)
    /// A menu of another program, which shows the request in its rows.
    case menu(Glance)
    /// A button of a desktop notification.
    case notification(Glance)
  }

  /// How a request is shown to a person who only glances at it.
  package struct Glance: Sendable, Equatable {
    /// Whether all of the call is surely seen: see ``fitsGlance(tool:lines:hiddenCount:)`` and, for a
    /// menu, ``fitsMenu(callRows:visibleRows:)``.
    package var isShownInFull: Bool
    /// The risk with which the request was listed; the request's own risk counts, too.
    package var listedRisk: Risk

    package init(isShownInFull: Bool, listedRisk: Risk) {
      (self.isShownInFull, self.listedRisk) = (isShownInFull, listedRisk)
    }
  }

  /// Why a decision is not possible.
  package enum Obstacle: Error, Sendable, Equatable, CaseIterable {
    /// Part of the request is missing here, so that it can only be denied.
    case incomplete
    /// The surface does not offer a decision that applies to more than one call.
    case scopeNotOffered
    /// The end of the request was not on the screen.
    case endNotSeen
    /// The surface may not show all of the call.
    case notShownInFull
    /// The surface does not offer approval of a call of risk destructive or high.
    case highRisk
  }

  /// Returns why a decision may not be sent, wherever it comes from; `nil` if it may.
  package static func obstacle(
    to decision: PermissionDecision,
    _ request: PermissionRequest
  ) -> Obstacle? {
    decision == .deny || request.isWhole ? nil : .incomplete
  }

  /// Returns why a decision is not possible on a surface; `nil` if it is.
  package static func obstacle(
    to decision: PermissionDecision,
    _ request: PermissionRequest,
    on surface: Surface
  ) -> Obstacle? {
    guard decision != .deny else { return nil }
    if let obstacle = obstacle(to: decision, request) { return obstacle }
    guard surface.offers(decision) else { return .scopeNotOffered }
    switch surface {
    case .command, .lines: return nil
    case .panel(let isEndSeen): return isEndSeen ? nil : .endNotSeen
    case .menu(let glance), .notification(let glance):
      guard glance.isShownInFull else { return .notShownInFull }
      // The risk is advice everywhere else. Here a person decides within seconds.
      return glance.listedRisk.isHigh || request.risk.isHigh ? .highRisk : nil
    }
  }
}

extension ApprovalPolicy.Surface {
  /// Whether the surface has a decision at all, whatever the request.
  fileprivate func offers(_ decision: PermissionDecision) -> Bool {
    switch (self, decision) {
    case (_, .deny), (_, .allow), (.command, _): true
    case (.lines, .allowForSession), (.panel, .allowForSession): true
    case (.lines, .allowEverywhere), (.panel, .allowEverywhere), (.menu, _), (.notification, _):
      false
    }
  }
}

// MARK: - What is seen at a glance

extension ApprovalPolicy {
  /// A desktop shows few lines of a text at first, and may cut a longer one.
  private static let glanceLineLimit = 3
  private static let glanceCharacterLimit = 160
  /// The rows of a menu beside those of the call: Open, the place, Deny and Approve.
  private static let otherMenuRows = 4

  /// Whether a call can be read at a glance: short, in plain ASCII, with nothing hidden.
  ///
  /// A program may draw other letters wider or in another order than expected here, so that a part of
  /// the call is not seen as it is.
  ///
  /// - Parameters:
  ///   - tool: The name of the tool, as it is shown.
  ///   - lines: All that the call would do, as it is shown.
  ///   - hiddenCount: How many characters of the request are not visible by themselves.
  package static func fitsGlance(tool: String, lines: [String], hiddenCount: Int) -> Bool {
    guard hiddenCount == 0, lines.count <= glanceLineLimit,
      lines.reduce(0, { $0 + $1.count }) <= glanceCharacterLimit,
      lines.contains(where: { !$0.isEmpty })
    else { return false }
    return ([tool] + lines).allSatisfy { line in
      line.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }
  }

  /// Whether a menu shows all rows of a call at once, beside its other rows.
  ///
  /// - Parameter visibleRows: How many rows of the menu are surely seen; `nil` if that is unknown.
  package static func fitsMenu(callRows: Int, visibleRows: Int?) -> Bool {
    visibleRows.map { callRows + otherMenuRows <= $0 } ?? false
  }
}

// MARK: - Time

extension ApprovalPolicy {
  /// A person who types a message does not pause for this long: keys before such a pause are for the
  /// message.
  package static let typingPause = Duration.seconds(1)
  /// How long a selection must have been on the screen before Enter confirms it.
  package static let selectionGlance = Duration.milliseconds(250)
  /// How soon after a decision an Enter still belongs to it.
  package static let doublePress = Duration.milliseconds(500)
  /// The shortest time in which a person reads a call in a menu: an earlier approval was typed for
  /// something else.
  package static let menuReading = Duration.seconds(1)
  /// How often a menu may go back to the call; bounds a program that answers by itself.
  package static let menuLooks = 20

  /// Whether a request expires soon: less than 1 h is left, or less than a quarter of a shorter time.
  ///
  /// - Parameters:
  ///   - left: The time that is left.
  ///   - patience: How long there was to decide; `nil` if unknown.
  package static func isExpiring(in left: Duration, of patience: Duration?) -> Bool {
    let hour = Duration.seconds(3600)
    guard let patience, patience <= hour else { return left < hour }
    return left < patience / 4
  }
}
