// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiSystem

/// A request for approval as a menu: its call, row by row, and what can be done about it.
///
/// The first row, which Enter takes, is always the one to read it elsewhere.
package struct ApprovalMenu: Sendable {
  /// What a person does about it.
  package enum Word: Sendable {
    case read
    case deny
    case approve
  }

  /// Begins the rows of the call, and no other: what they say is never taken for a decision.
  private static let bar = "| "

  package let menu: Menu
  /// What an approval is asked once more by, with a refusal first: of a menu that is searched by typing,
  /// a word may leave nothing but the approval.
  package let confirmation: Menu
  private let words: [Word]

  /// Makes a menu in which an approval is offered if ``ApprovalPolicy`` allows it.
  ///
  /// - Parameters:
  ///   - row: The request.
  ///   - title: What is asked, with the time that is left.
  ///   - sight: How much of a menu is surely seen; `nil` if unknown.
  ///   - fold: Returns all of a request in rows of at most so many columns.
  package init(
    _ row: ListedRequest,
    title: String,
    in sight: MenuSight?,
    folding fold: (PermissionRequest, _ columns: Int) -> [String]
  ) {
    let request = row.request
    var call = [request.line.safeLine(limit: 100), "(not shown whole)"]
    var isApprovable = false
    if ApprovalPolicy.glance(at: request) != nil {
      let width = (sight?.columns ?? Picker.columns) - Self.bar.count
      call = fold(request, width)
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
    menu = Menu(title, rows.map(\.0))
    words = rows.map(\.1)
  }

  private static let agreement = "Yes: let it run, once"

  /// Whether a row of the confirmation approves.
  package func isAgreement(at index: Int) -> Bool {
    confirmation.rows.indices.contains(index) && confirmation.rows[index].text == Self.agreement
  }

  /// The word of a row.
  package func word(at index: Int) -> Word { words.indices.contains(index) ? words[index] : .read }

  /// Shows the menu until a person has decided.
  ///
  /// An approval that comes sooner than a person can read the call goes back to it, and so does one
  /// that is not confirmed.
  ///
  /// - Throws: `.hasty` if that happens too often.
  package func word(from desk: MenuDesk, on loop: EventLoop) async throws(MenuError) -> Word {
    for _ in 0..<ApprovalPolicy.menuLooks {
      let begin = loop.now
      let word = word(at: try await desk.decide(on: menu))
      guard word == .approve else { return word }
      let elapsed = begin.duration(to: loop.now)
      guard elapsed >= ApprovalPolicy.menuReading else { continue }
      if isAgreement(at: try await desk.decide(on: confirmation)) { return .approve }
    }
    throw .hasty
  }
}
