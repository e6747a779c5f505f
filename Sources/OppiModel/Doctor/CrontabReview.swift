// SPDX-License-Identifier: MIT

import OppiText

/// A defect in a line of a crontab; lines are numbered from 1.
package enum CrontabDefect: Sendable, Equatable {
  /// The line has a `%`, which ends the command for cron.
  case percent(line: Int)
  /// The program is not found under the path or name that the line uses.
  case missingProgram(line: Int, name: String)
  case missingShortcut(line: Int, name: String)
  /// The prompt is in the crontab, where others can read it.
  case visiblePrompt(line: Int)
}

/// Checks the lines of a crontab that call this program, by the rules of crontab(5).
package struct CrontabReview: Sendable {
  private struct Job {
    var number: Int
    /// The text after the schedule.
    var command: Substring
    /// The search path in effect at that line.
    var path: String
  }

  /// Variables set above the last job of the program; empty without a job.
  package private(set) var assignments: [String: String] = [:]

  private var jobs: [Job] = []
  private let program: String
  private let commands: Set<String>

  /// Parses a crontab; `commands` are the names of the program's commands.
  package init(_ text: String, program: String, commands: Set<String>) {
    self.program = program
    self.commands = commands
    var known: [String: String] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      let line = line.drop(while: \.isBlank)
      guard let first = line.first, first != "#" else { continue }
      if let (name, value) = Self.assignment(line) {
        known[name] = value
      } else if let command = Self.command(line), !calls(in: command).isEmpty {
        jobs.append(
          Job(number: index + 1, command: command, path: known["PATH"] ?? "/usr/bin:/bin")
        )
        assignments = known
      }
    }
  }

  /// Returns the defects of the program's lines, in order; a line may have several.
  package func defects(
    hasProgram: (_ name: String, _ path: String) -> Bool,
    hasShortcut: (_ name: String) -> Bool
  ) -> [CrontabDefect] {
    jobs.flatMap { job -> [CrontabDefect] in
      let calls = calls(in: job.command)
      var defects: [CrontabDefect] = []
      if Self.hasBarePercent(job.command) { defects.append(.percent(line: job.number)) }
      for call in calls where isMissing(call, job, hasProgram) {
        defects.append(.missingProgram(line: job.number, name: call.name))
      }
      for case let shortcut? in calls.map(\.shortcut) where !hasShortcut(shortcut) {
        defects.append(.missingShortcut(line: job.number, name: shortcut))
      }
      if calls.contains(where: { $0.verb == "ask" }) {
        defects.append(.visiblePrompt(line: job.number))
      }
      return defects
    }
  }

  /// Whether the program is not found, as far as that can be determined without a shell.
  private func isMissing(
    _ call: Call,
    _ job: Job,
    _ hasProgram: (_ name: String, _ path: String) -> Bool
  ) -> Bool {
    let isExpanded = call.name.contains { "$~*".contains($0) }
    let setsPath = job.command.contains("PATH=") || job.command.contains(". ")
    return !isExpanded && !setsPath && !hasProgram(call.name, job.path)
  }

  private func isOwn(_ word: String) -> Bool {
    word.split(separator: "/").last.map(String.init) == program
  }

  private struct Call {
    var name: String
    var verb: String
    /// The shortcut that `run` gets as its first argument.
    var shortcut: String?
  }

  /// Finds the words that name this program and are followed by one of its commands.
  private func calls(in command: Substring) -> [Call] {
    let words = command.split { $0.isBlank || ";&|()'\"`".contains($0) }.map(String.init)
    return zip(words, words.dropFirst()).enumerated().compactMap { index, pair in
      guard isOwn(pair.0), commands.contains(pair.1) else { return nil }
      let next = words.dropFirst(index + 2).first
      let isName = pair.1 == "run" && next.map { ShortcutName($0) != nil } == true
      return Call(name: pair.0, verb: pair.1, shortcut: isName ? next : nil)
    }
  }

  /// Parses `NAME = value`, with optional blanks around the sign and quotes around both.
  private static func assignment(_ line: Substring) -> (name: String, value: String)? {
    guard let sign = line.firstIndex(of: "=") else { return nil }
    let name = line[..<sign].trimmingBlanks.trimmingQuotes
    guard let first = name.utf8.first,
      first == UInt8(ascii: "_") || first.isASCIILetter,
      name.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || $0.isASCIIAlphanumeric })
    else { return nil }
    return (name, line[line.index(after: sign)...].trimmingBlanks.trimmingQuotes)
  }

  /// The text after `@daily` or after five fields.
  private static func command(_ line: Substring) -> Substring? {
    let fields = line.hasPrefix("@") ? 1 : 5
    let parts = line.split(maxSplits: fields, whereSeparator: \.isBlank)
    return parts.count > fields ? parts[fields] : nil
  }

  /// Whether there is a percent sign without a preceding backslash.
  private static func hasBarePercent(_ command: Substring) -> Bool {
    zip(" " + command, command).contains { $1 == "%" && $0 != "\\" }
  }
}

extension Character {
  fileprivate var isBlank: Bool { self == " " || self == "\t" }
}

extension Substring {
  fileprivate var trimmingBlanks: Substring {
    var text = drop(while: \.isBlank)
    while text.last?.isBlank == true { text.removeLast() }
    return text
  }

  fileprivate var trimmingQuotes: String {
    guard count > 1, let first, first == last, "\"'".contains(first) else { return String(self) }
    return String(dropFirst().dropLast())
  }
}
