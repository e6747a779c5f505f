// SPDX-License-Identifier: MIT

package import OppiModel

/// A key and what it does now, for the footer and the help page.
package struct KeyHint: Sendable, Equatable {
  package var keys: String
  package var label: String
  /// The sentence on the help page.
  package var help: String
  package var works: Bool

  package init(keys: String, label: String, help: String, works: Bool) {
    (self.keys, self.label, self.help, self.works) = (keys, label, help, works)
  }
}

/// The parts around the list: the tabs, the banner, the footer and the help page.
package enum ConsoleChrome {
  /// A tab: its title, the number of items that need the user, and whether it is selected.
  package typealias TabTitle = (title: String, count: Int, isSelected: Bool)

  /// The row of tabs; the selected one is in brackets, so that colour is not needed.
  ///
  /// On a narrow screen the other tabs show their number only.
  package static func tabs(_ tabs: [TabTitle], width: Int) -> StyledText {
    let whole = line(tabs) { $0.title }
    guard DisplayWidth.of(whole.plain) > width else { return whole }
    let short = line(tabs) { $0.isSelected ? $0.title : String($0.title.prefix(4)) }
    guard DisplayWidth.of(short.plain) > width else { return short }
    return line(tabs) { $0.isSelected ? $0.title : "" }.truncated(to: width)
  }

  /// In place of the tabs on a screen without room for them.
  package static let tooSmall = StyledText(
    "window too small: needs \(ConsoleLayout.leastRows) rows",
    .warning
  )

  private static func line(_ tabs: [TabTitle], name: (TabTitle) -> String) -> StyledText {
    var line = StyledText()
    for (index, tab) in tabs.enumerated() {
      if index > 0 { line.append(" ") }
      let number = tabs.count > 1 ? "\(index + 1)" : ""
      let words = [number, name(tab)].filter { !$0.isEmpty }.joined(separator: " ")
      line.append(tab.isSelected ? "[\(words)" : " \(words)", tab.isSelected ? .heading : .dim)
      if tab.count > 0 { line.append(" (\(tab.count))", .warning) }
      line.append(tab.isSelected ? "]" : " ", tab.isSelected ? .heading : .dim)
    }
    return line
  }

  /// A filter with its number, and whether it is chosen.
  package typealias FilterTitle = (title: String, isChosen: Bool)

  /// The filters of a list with their numbers; the chosen one is in brackets, and comes first if not
  /// all fit.
  ///
  /// `text` is the text of the filter; `new` is the number of rows that were added below.
  package static func filters(
    _ titles: [FilterTitle],
    text: String,
    new: Int,
    width: Int
  ) -> StyledText {
    var start = StyledText()
    if new > 0 { start.append("\(new) new below, Home: sort  ", .name) }
    if !text.isEmpty { start.append("/\(text.safeLine(limit: 40))  ", .name) }
    let whole = start.with(line(of: titles))
    guard DisplayWidth.of(whole.plain) > width else { return whole }
    let sorted = titles.filter(\.isChosen) + titles.filter { !$0.isChosen }
    return start.with(line(of: sorted)).truncated(to: width)
  }

  private static func line(of titles: [FilterTitle]) -> StyledText {
    var line = StyledText()
    for (title, isChosen) in titles {
      line.append(isChosen ? "[\(title)] " : "\(title) ", isChosen ? .name : .dim)
    }
    return line
  }

  // MARK: - Banner

  /// One row for each server that does not answer or refuses access, with age and remedy; then, as
  /// far as there is room, the rows with the reasons.
  package static func banner(
    _ servers: [ConsoleBoard.Server],
    at now: Timestamp
  ) -> [StyledText] {
    let failed = servers.filter { $0.failure != nil }
    let reasons = failed.compactMap { server in
      server.failure.map { StyledText("  \(server.name): \($0.message)", .dim) }
    }
    return failed.compactMap { server in
      guard let failure = server.failure else { return nil }
      let age = server.contactAt.map { contact in
        "last answer \(RelativeTime.age(seconds: contact.age(at: now))) ago"
      }
      var line = StyledText("✗ \(server.name) \(failure.kind.words)", .error)
      line.append(", \(age ?? "no answer yet")", .warning)
      line.append("; \(failure.remedy ?? "retrying (r: now)")")
      return line
    } + reasons
  }

  /// The rows of the banner that fit; the last one counts the servers without a row.
  package static func fitted(_ banner: [StyledText], rows: Int) -> [StyledText] {
    let servers = banner.count / 2
    guard servers > rows, rows > 0 else { return Array(banner.prefix(max(0, rows))) }
    var shown = Array(banner.prefix(rows))
    let more = StyledText("✗ +\(servers - rows) more; ", .error)
    shown[rows - 1] = more.with(shown[rows - 1])
    return shown
  }

  // MARK: - Keys

  /// The keys that work now, as many as fit; the last two always fit.
  package static func footer(_ hints: [KeyHint], width: Int) -> StyledText {
    let works = hints.filter(\.works)
    let last = works.suffix(2)
    let lastWidth = columns(of: last)
    var used = 0
    var shown: [KeyHint] = []
    for hint in works.dropLast(2) {
      let next = used + columns(of: [hint][...])
      guard next + lastWidth <= width else { break }
      used = next
      shown.append(hint)
    }
    var line = StyledText()
    for (index, hint) in (shown + last).enumerated() {
      if index > 0 { line.append("  ") }
      line.append(hint.keys, .code)
      line.append(" \(hint.label)", .dim)
    }
    return line.truncated(to: width)
  }

  private static func columns(of hints: ArraySlice<KeyHint>) -> Int {
    hints.reduce(0) { $0 + DisplayWidth.of($1.keys) + DisplayWidth.of($1.label) + 3 }
  }

  /// All keys with their meaning; those that do not work now are marked.
  package static func help(_ groups: [(title: String, hints: [KeyHint])]) -> [StyledText] {
    let width = groups.flatMap(\.hints).map { DisplayWidth.of($0.keys) }.max() ?? 0
    let blocks = groups.map { title, hints in
      [StyledText(title, .heading)]
        + hints.map { hint in
          let space = String(repeating: " ", count: width - DisplayWidth.of(hint.keys) + 2)
          var line = StyledText("  \(hint.keys)\(space)", hint.works ? .code : .dim)
          line.append(hint.help, hint.works ? .plain : .dim)
          if !hint.works { line.append(" (not now)", .dim) }
          return line
        }
    }
    return Array(blocks.joined(separator: [StyledText()]))
  }
}
