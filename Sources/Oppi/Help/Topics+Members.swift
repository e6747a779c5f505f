// SPDX-License-Identifier: MIT

import CommandTable

extension Topics {
  /// The JSON members of each command; commands with the same members share a list.
  static let memberLists: [HelpList] = {
    var lists: [HelpList] = []
    for (name, rows) in members(of: OppiTable.commands) {
      if let index = lists.firstIndex(where: { $0.rows == rows }) {
        lists[index] = HelpList("\(lists[index].heading), \(name)", rows)
      } else {
        lists.append(HelpList(name, rows))
      }
    }
    return lists.map { list in
      HelpList(list.heading, lists.reduce(list.rows) { shortened($0, referringTo: $1) })
    }
  }()

  /// Replaces the members of an inner object by a reference to the command that prints the same
  /// object.
  private static func shortened(_ rows: [HelpRow], referringTo list: HelpList) -> [HelpRow] {
    guard let first = list.rows.first, list.rows.count > 2,
      let start = rows.firstIndex(where: { $0.term.hasSuffix(".\(first.term)") }), start > 0
    else { return rows }
    let path = rows[start].term.dropLast(first.term.count)
    let end = start + list.rows.count
    guard end <= rows.count,
      Array(rows[start..<end]) == list.rows.map({ HelpRow(path + $0.term, $0.meaning) })
    else { return rows }
    let command = list.heading.prefix { $0 != "," }
    let owner = rows[start - 1]
    let row = HelpRow(owner.term, "\(owner.meaning), with the members of \(command)")
    return rows[..<(start - 1)] + [row] + rows[end...]
  }

  /// The visible commands with their full names and JSON members, recursively.
  private static func members(
    of commands: [Command],
    below noun: String = ""
  ) -> [(name: String, rows: [HelpRow])] {
    commands.filter { !$0.isHidden }.flatMap { command in
      let name = noun + command.name
      return command.isNoun
        ? members(of: command.subcommands, below: "\(name) ") : [(name, command.members)]
    }
  }
}
