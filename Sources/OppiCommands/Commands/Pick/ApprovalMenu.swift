// SPDX-License-Identifier: MIT

import OppiIntents
import OppiModel
import OppiRendering

/// A request for approval as a menu: its call, row by row, and what can be done about it.
///
/// The first row, which Enter takes, is always the one to read it elsewhere.
struct ApprovalMenu {
  /// What a person does about it.
  enum Word: Sendable {
    case read
    case deny
    case approve
  }

  /// Begins the rows of the call, and no other: what they say is never taken for a decision.
  private static let bar = "| "

  let menu: Menu
  /// What an approval is asked once more by, with a refusal first: of a menu that is searched by typing,
  /// a word may leave nothing but the approval.
  let confirmation: Menu
  private let words: [Word]

  /// Makes a menu in which an approval is offered if ``ApprovalPolicy`` allows it.
  ///
  /// - Parameters:
  ///   - row: The request.
  ///   - sight: How much of a menu is surely seen; `nil` where that is not known.
  init(_ row: ListedRequest, in sight: MenuSight?) {
    let request = row.request
    var call = [request.line.safeLine(limit: 100), "(not shown whole)"]
    var isApprovable = false
    if ApprovalPolicy.glance(at: request) != nil {
      let width = (sight?.columns ?? Picker.columns) - Self.bar.count
      call = RequestText.rows(of: request, width: width).map(\.plain)
      let surface = ApprovalPolicy.Surface.menu(
        listedRisk: row.approval.risk,
        callRows: call.count,
        visibleRows: sight?.rows
      )
      isApprovable = ApprovalPolicy.obstacle(to: .allow, request, on: surface) == nil
    }
    let opening = "Open: read it in a terminal" + (isApprovable ? "" : ", to approve it")
    let place = Menu.Row("From \(row.place.text)".safeLine(limit: 160))
    var rows = [(Menu.Row(opening), Word.read), (place, Word.read)]
    let shown = call.map { Menu.Row(Self.bar + $0) }
    rows += shown.map { ($0, .read) }
    confirmation = Menu(
      "Approve?",
      [Menu.Row("No: look again"), place] + shown + [Menu.Row(Self.agreement)]
    )
    rows.append((Menu.Row("Deny"), .deny))
    if isApprovable { rows.append((Menu.Row("Approve, once"), .approve)) }
    menu = Menu("\(row.approval.tool), \(row.timeLeft)".safeLine(limit: 40), rows.map(\.0))
    words = rows.map(\.1)
  }

  private static let agreement = "Yes: let it run, once"

  /// Whether a row of the confirmation approves.
  func isAgreement(at index: Int) -> Bool {
    confirmation.rows.indices.contains(index) && confirmation.rows[index].text == Self.agreement
  }

  /// The word of a row.
  func word(at index: Int) -> Word { words.indices.contains(index) ? words[index] : .read }
}

/// How much of a menu is seen at once, whatever its program is set to.
struct MenuSight: Equatable, Sendable {
  let columns: Int
  let rows: Int
}
