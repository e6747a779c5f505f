// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiSystem

/// Shows a request for approval as a menu: its call in rows, then the possible decisions.
///
/// The first row, which Enter selects, always opens the request elsewhere.
package struct ApprovalMenu: Sendable {
  package enum Word: Sendable {
    case read
    case deny
    case approve
  }

  /// Starts the rows of the call, and only those, so that their text cannot pass for a decision.
  private static let bar = "| "

  package let menu: Menu
  /// Asks to confirm an approval, with the refusal first: typing in a searchable menu may filter
  /// out every row but the approval.
  package let confirmation: Menu
  private let words: [Word]

  /// Offers an approval only if ``ApprovalPolicy`` allows it.
  ///
  /// - Parameters:
  ///   - row: The request.
  ///   - title: The menu's title, with the time left.
  ///   - sight: The visible size of a menu; `nil` if unknown.
  ///   - fold: Wraps a whole request to rows of at most the given columns.
  package init(
    _ row: ListedRequest,
    title: String,
    in sight: MenuSight?,
    folding fold: (PermissionRequest, _ columns: Int) -> [String]
  ) {
    let request = row.request
    var call = [request.line.safeLine(limit: 100), "(truncated)"]
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
    let opening = "Open in a terminal" + (isApprovable ? "" : " to approve it")
    let place = Menu.Row("From \(row.place.text)".safeLine(limit: 160))
    var rows = [(Menu.Row(opening), Word.read), (place, Word.read)]
    let shown = call.map { Menu.Row(Self.bar + $0) }
    rows += shown.map { ($0, .read) }
    confirmation = Menu(
      "Approve?",
      [Menu.Row("No, go back"), place] + shown + [Menu.Row(Self.agreement)]
    )
    rows.append((Menu.Row("Deny"), .deny))
    if isApprovable { rows.append((Menu.Row("Approve once"), .approve)) }
    menu = Menu(title, rows.map(\.0))
    words = rows.map(\.1)
  }

  private static let agreement = "Yes, run it once"

  /// Whether a row of the confirmation approves the request.
  package func isAgreement(at index: Int) -> Bool {
    confirmation.rows.indices.contains(index) && confirmation.rows[index].text == Self.agreement
  }

  package func word(at index: Int) -> Word { words.indices.contains(index) ? words[index] : .read }

  /// Shows the menu until the user decides.
  ///
  /// Returns to the call after an approval that is faster than a user can read it, or that is not
  /// confirmed.
  ///
  /// - Throws: `.hasty` after ``ApprovalPolicy/menuLooks`` returns.
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
