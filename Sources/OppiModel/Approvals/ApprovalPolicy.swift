// SPDX-License-Identifier: MIT

import OppiText
package import OppiWire

/// The rules for replies to requests: what may be approved or answered on which surface, and why not.
///
/// All code that offers or sends a reply uses these rules. A refusal is always possible. Whatever
/// lets the agent continue needs the whole request, and a surface on which the user has seen all of
/// it or names it by its id.
package enum ApprovalPolicy {
  package enum Surface: Sendable, Equatable {
    /// A command that names the request by its id.
    case command
    /// A panel of the chat, the console or the batch; ``ShownRows`` knows what was on the screen.
    case panel(isWholeShown: Bool)
    /// A menu of another program; `visibleRows` is the number of rows shown at once, if known.
    ///
    /// `callRows` are those of the text, and one for each offer but the first.
    case menu(listedRisk: Risk?, callRows: Int, visibleRows: Int?)
    case notification(listedRisk: Risk?)
  }

  package enum Obstacle: Sendable, Equatable, CaseIterable {
    /// Part of the request is missing here, so that it can only be denied.
    case incomplete
    /// The surface does not offer a decision that applies to more than one call.
    case scopeNotOffered
    /// A row of the request was not on the screen.
    case notAllShown
    /// The surface may not show all of the call.
    case notShownInFull
    /// The surface does not offer approval of a call of risk destructive or high.
    case highRisk
  }

  /// Returns why a reply to a request is not possible on a surface; `nil` if it is.
  package static func obstacle(
    to reply: RequestReply,
    _ request: HumanRequest,
    on surface: Surface
  ) -> Obstacle? {
    guard reply.effect(on: request) != .deny else { return nil }
    guard request.isWhole else { return .incomplete }
    guard surface.offers(reply) else { return .scopeNotOffered }
    switch surface {
    case .command: return nil
    case .panel(let isWholeShown): return isWholeShown ? nil : .notAllShown
    case .menu(let listedRisk, let rows, let visibleRows):
      guard let visibleRows, rows + otherMenuRows <= visibleRows else { return .notShownInFull }
      return obstacle(atAGlanceTo: reply, request, listedAs: listedRisk)
    case .notification(let listedRisk):
      return obstacle(atAGlanceTo: reply, request, listedAs: listedRisk)
    }
  }

  /// Returns why a reply may not be given at a glance; `nil` if it may.
  ///
  /// Elsewhere, risk is only advice. Here, where a decision takes seconds, a request of high risk
  /// cannot be approved or answered, nor one whose text may hide a command of such a risk; the risk
  /// shown in the list counts too.
  private static func obstacle(
    atAGlanceTo reply: RequestReply,
    _ request: HumanRequest,
    listedAs listedRisk: Risk?
  ) -> Obstacle? {
    guard offers(atAGlanceTo: request).contains(where: { $0.reply == reply }) else {
      return .notShownInFull
    }
    return listedRisk?.isHigh == true || request.suspectedRisk.isHigh ? .highRisk : nil
  }
}

extension ApprovalPolicy.Surface {
  /// Whether the surface offers a reply at all, for any request.
  fileprivate func offers(_ reply: RequestReply) -> Bool {
    guard case .decision(let decision) = reply else { return true }
    return switch (self, decision) {
    case (_, .deny), (_, .allow), (.command, _): true
    case (.panel, .allowForSession): true
    case (.panel, .allowEverywhere), (.menu, _), (.notification, _): false
    }
  }
}

// MARK: - At a glance

extension ApprovalPolicy {
  /// Desktops show few lines of a text at first and may cut a longer one.
  private static let glanceLineLimit = 3
  private static let glanceCharacterLimit = 160
  /// The rows of a menu besides those of the call: Open, the place, Deny and Approve.
  static let otherMenuRows = 4

  /// The whole request if it can be approved or answered at a glance: short, plain ASCII, nothing
  /// hidden; `nil` otherwise.
  ///
  /// Another program may draw other characters wider or in a different order, so that part of the
  /// request would not be visible as it is. A question may have one pictogram at its start: a gate
  /// begins its title with a warning sign, which is in front of everything that an agent wrote.
  package static func glance(at request: HumanRequest) -> [String]? {
    let name =
      request.permission.map { RevealedText($0.tool).line } ?? request.question?.extensionName ?? ""
    guard request.hiddenCount == 0, name.isPlainASCII, let lines = shortLines(of: request) else {
      return nil
    }
    let first = request.kind == .permission ? lines[0] : lines[0].withoutSign
    return first.isPlainASCII && lines.dropFirst().allSatisfy(\.isPlainASCII) ? lines : nil
  }

  /// The whole request, safe to show, if a notification shows all of it; `nil` otherwise.
  ///
  /// It may have characters that must not be approved at a glance.
  package static func shortLines(of request: HumanRequest) -> [String]? {
    let lines = request.lines
    // Other characters may be two columns wide.
    let columns = lines.reduce(0) { sum, line in
      sum + line.unicodeScalars.reduce(0) { $0 + ($1.isASCII ? 1 : 2) }
    }
    guard request.isWhole, lines.count <= glanceLineLimit, columns <= glanceCharacterLimit,
      lines.contains(where: { !$0.isEmpty })
    else { return nil }
    return lines
  }
}

extension String {
  /// Whether all characters have the same width and are read from left to right.
  var isPlainASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }

  /// The line after a pictogram and a space at its start.
  fileprivate var withoutSign: String {
    var rest = unicodeScalars[...]
    guard let sign = rest.popFirst(), sign.isPicture else { return self }
    if sign.takesSelector, rest.first == .pictureSelector { rest.removeFirst() }
    return rest.first == " " ? String(rest) : self
  }
}

// MARK: - Time

extension ApprovalPolicy {
  /// The pause that ends typing: keys before such a pause belong to the message.
  package static let typingPause = Duration.seconds(1)
  /// How long a selection must be on the screen before Enter confirms it.
  package static let selectionGlance = Duration.milliseconds(250)
  /// How long after a decision an Enter still belongs to it.
  package static let doublePress = Duration.milliseconds(500)
  /// The shortest time to read a call in a menu or a notification: an earlier approval was meant for
  /// something else.
  package static let menuReading = Duration.seconds(1)
  /// How often a menu may return to the call: limits a menu program that answers automatically.
  package static let menuLooks = 20

  /// Whether a request expires soon: less than 1 h is left, or less than a quarter of a shorter
  /// time.
  ///
  /// `timeToDecide` is the total time to decide; `nil` if unknown.
  package static func isExpiring(in left: Duration, of timeToDecide: Duration?) -> Bool {
    let hour = Duration.seconds(3600)
    guard let timeToDecide, timeToDecide <= hour else { return left < hour }
    return left < timeToDecide / 4
  }
}

// MARK: - Offers

extension ApprovalPolicy {
  /// A button, or a row of a menu.
  package struct Offer: Sendable, Equatable {
    /// The program's own word, or the server's own text, which is plain ASCII.
    package var label: String
    /// `nil` to open the request where it can be read.
    package var reply: RequestReply?

    package init(_ label: String, _ reply: RequestReply?) {
      (self.label, self.reply) = (label, reply)
    }

    package static let open = Offer("Open", nil)
  }

  private static let choiceLimit = 4
  private static let choiceCharacterLimit = 40
  /// The labels of the program's own buttons.
  private static let ownLabels: Set = ["open", "deny", "cancel", "approve"]

  /// The replies other than the refusal that a surface offers to a request at a glance.
  package static func offers(to request: HumanRequest, on surface: Surface) -> [Offer] {
    offers(atAGlanceTo: request).filter { offer in
      offer.reply.map { obstacle(to: $0, request, on: surface) == nil } ?? false
    }
  }

  /// The approval, or the choices of a question, that can be read at a glance; none if the text of a
  /// question or one of its choices cannot, or if it needs more than one choice.
  package static func offers(atAGlanceTo request: HumanRequest) -> [Offer] {
    guard glance(at: request) != nil else { return [] }
    switch request {
    case .permission: return [Offer("Approve", .decision(.allow))]
    case .question(let question):
      if let yes = question.consent?.yes { return [Offer(yes.label, .answer(yes.answer))] }
      let labels = question.options.map(\.label)
      let names = Set(labels.map { $0.lowercased() })
      guard question.kind == .select, labels.count <= choiceLimit, names.count == labels.count,
        names.isDisjoint(with: ownLabels), labels.allSatisfy(isButton),
        // A button has no room for a note.
        question.options.allSatisfy({ $0.note?.isEmpty ?? true })
      else { return [] }
      return question.options.map { Offer($0.label, .answer(.value($0.value))) }
        .filter { $0 != request.offeredRefusal }
    }
  }

  /// Whether a text is readable as the label of a button.
  private static func isButton(_ label: String) -> Bool {
    (1...choiceCharacterLimit).contains(label.count) && label.isPlainASCII
      && label.first != " " && label.last != " "
  }
}
