// SPDX-License-Identifier: MIT

import CommandTable
import OppiModel

/// What crontab(5) makes of the lines of a crontab that run this program.
struct CrontabReview: Sendable {
  /// A line that runs the program.
  private struct Job {
    var number: Int
    /// What stands behind the time.
    var command: Substring
    /// Where programs are looked for at that line.
    var path: String
  }

  /// What is set above the last job of the program; above none where it has no job.
  private(set) var assignments: [String: String] = [:]

  private var jobs: [Job] = []
  private let program: String
  private let path: String

  /// Reads a crontab.
  ///
  /// - Parameters:
  ///   - text: The crontab.
  ///   - program: What this program is called.
  ///   - path: Where it is.
  init(_ text: String, program: String, path: String) {
    self.program = program
    self.path = path
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

  /// What a machine has of what the lines name.
  struct Machine {
    /// Whether a program of a name is found on a path.
    var hasProgram: (_ name: String, _ path: String) -> Bool
    var hasShortcut: (_ name: String) -> Bool
  }

  /// Looks at each line that runs the program.
  func findings(on machine: Machine) -> [Finding] {
    jobs.flatMap { job -> [Finding] in
      let line = "line \(job.number) of the crontab"
      let calls = calls(in: job.command)
      var findings: [Finding] = []
      if Self.hasBarePercent(job.command) {
        let words = "\(line) has a '%', which ends the command for cron"
        let hint = "write \\% for it, or put the prompt into a shortcut: oppi shortcuts add"
        findings.append(.fault(OppiError(.badConfiguration, words, hints: [hint])))
      }
      for call in calls where isMissing(call, job, machine) {
        let words =
          "\(line) runs '\(call.name.safeLine(limit: 80))', which is not to be found there"
        findings.append(.fault(OppiError(.badConfiguration, words, hints: ["write \(path)"])))
      }
      for case let shortcut? in calls.map(\.shortcut) where !machine.hasShortcut(shortcut) {
        let words =
          "\(line) runs the shortcut '\(shortcut.safeLine(limit: 80))', which is not there"
        let hint = "see what there is with: oppi shortcuts"
        findings.append(.fault(OppiError(.noSuchShortcut, words, hints: [hint])))
      }
      if calls.contains(where: { $0.verb == "ask" }) {
        let words = "\(line) has its prompt in the crontab, where ps and syslog show it"
        let hint = "put it into a shortcut, and let the job say: \(path) run NAME"
        findings.append(.note(words, hints: [hint]))
      }
      return findings
    }
  }

  /// Whether the program is not where a line looks for it, as far as that can be told without a shell.
  private func isMissing(_ call: Call, _ job: Job, _ machine: Machine) -> Bool {
    let isReckoned = call.name.contains { "$~*".contains($0) }
    let setsPath = job.command.contains("PATH=") || job.command.contains(". ")
    return !isReckoned && !setsPath && !machine.hasProgram(call.name, job.path)
  }

  private func isOwn(_ word: String) -> Bool {
    word.split(separator: "/").last.map(String.init) == program
  }

  /// A call of this program in a line.
  private struct Call {
    var name: String
    /// The command that is asked for.
    var verb: String
    /// The shortcut of `run`, where that comes first.
    var shortcut: String?
  }

  /// The words of this program's name that a command of it follows, wherever they stand.
  private func calls(in command: Substring) -> [Call] {
    let words = command.split { $0.isBlank || ";&|()'\"`".contains($0) }.map(String.init)
    return zip(words, words.dropFirst()).enumerated().compactMap { index, pair in
      guard isOwn(pair.0), OppiTable.commands.contains(where: { $0.name == pair.1 }) else {
        return nil
      }
      let next = words.dropFirst(index + 2).first
      let isName = pair.1 == "run" && next.map { ShortcutName($0) != nil } == true
      return Call(name: pair.0, verb: pair.1, shortcut: isName ? next : nil)
    }
  }

  /// `NAME = value`, with blanks around the sign and quotation marks around both if need be.
  private static func assignment(_ line: Substring) -> (name: String, value: String)? {
    guard let sign = line.firstIndex(of: "=") else { return nil }
    let name = line[..<sign].trimmingBlanks.trimmingQuotes
    guard let first = name.utf8.first,
      first == UInt8(ascii: "_") || first.isASCIILetter,
      name.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || $0.isASCIIAlphanumeric })
    else { return nil }
    return (name, line[line.index(after: sign)...].trimmingBlanks.trimmingQuotes)
  }

  /// What stands behind `@daily`, or behind five fields.
  private static func command(_ line: Substring) -> Substring? {
    let fields = line.hasPrefix("@") ? 1 : 5
    let parts = line.split(maxSplits: fields, whereSeparator: \.isBlank)
    return parts.count > fields ? parts[fields] : nil
  }

  /// Whether there is a percent sign without a backslash before it.
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
