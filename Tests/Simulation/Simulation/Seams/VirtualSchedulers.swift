// SPDX-License-Identifier: MIT

import OppiModel
import OppiSystem
import OppiText
import Synchronization

/// The scheduler programs of a world: systemd-analyze, systemctl and crontab.
///
/// They never run jobs; the test does.
package final class VirtualSchedulers: Sendable {
  private struct State {
    var crontab: [UInt8]?
    var refusal: String?
    var failing: [String]?
  }

  /// Unowned, because the programs retain these schedulers.
  private unowned let programs: VirtualPrograms
  private let state = Mutex(State())

  /// Installs the programs on a machine.
  ///
  /// - Parameters:
  ///   - programs: The machine's programs.
  ///   - read: Returns the contents of a file of the machine.
  package init(
    on programs: VirtualPrograms,
    reading read: @escaping @Sendable (String) -> [UInt8]?
  ) {
    self.programs = programs
    programs.put("systemd-analyze") { [self] program in analyze(program.arguments) }
    programs.put("systemctl") { [self] program in control(program.arguments) }
    programs.put("crontab") { [self] program in
      crontab(program.arguments) { name in
        read(program.folder.map { "\($0)/\(name)" } ?? name)
      }
    }
  }

  /// The command lines of the programs that were run.
  package var commands: [String] {
    programs.runs.map { $0.arguments.joined(separator: " ") }
  }

  /// The user's crontab; `nil` if there is none.
  package var crontab: String? {
    get { state.withLock(\.crontab).map { String(decoding: $0, as: UTF8.self) } }
    set { state.withLock { $0.crontab = newValue.map { Array($0.utf8) } } }
  }

  /// Makes systemd-analyze report this text for every unit; `nil` for no text.
  package func refuseUnits(_ words: String?) {
    state.withLock { $0.refusal = words }
  }

  /// Makes systemctl fail for commands that contain all the words; without words, never.
  package func failControl(_ words: String...) {
    state.withLock { $0.failing = words.isEmpty ? nil : words }
  }

  private func control(_ words: [String]) -> ChildProcess.Outcome {
    guard let failing = state.withLock(\.failing), failing.allSatisfy(words.contains) else {
      return .init(status: 0)
    }
    return .init(errors: Array("Job failed\n".utf8), status: 1)
  }

  private func analyze(_ words: [String]) -> ChildProcess.Outcome {
    guard words.dropFirst().first == "calendar" else {
      return .init(errors: Array((state.withLock(\.refusal) ?? "").utf8), status: 0)
    }
    return Self.calendar(words)
  }

  private func crontab(
    _ words: [String],
    reading read: (String) -> [UInt8]?
  ) -> ChildProcess.Outcome {
    switch words.dropFirst() {
    case ["-l"]:
      guard let bytes = state.withLock(\.crontab) else {
        return .init(errors: Array("no crontab for user\n".utf8), status: 1)
      }
      return .init(output: bytes, status: 0)
    case ["-r"]:
      state.withLock { $0.crontab = nil }
      return .init(status: 0)
    case ["-h"]: return .init(errors: Array("-n (dry run: checks the syntax)\n".utf8), status: 0)
    default:
      guard let bytes = words.last.flatMap(read), bytes.isEmpty || bytes.last == 10 else {
        return .init(status: 1)
      }
      if !words.contains("-n") { state.withLock { $0.crontab = bytes } }
      return .init(status: 0)
    }
  }

  /// Calculates times for expressions that start with `*-*-* ` and list hours and minutes, or for
  /// dates, in UTC.
  private static func calendar(_ words: [String]) -> ChildProcess.Outcome {
    func value(_ option: String) -> Substring? {
      words.first { $0.hasPrefix(option) }?.dropFirst(option.count)
    }
    let count = value("--iterations=").flatMap { Int($0) } ?? 1
    let base = value("--base-time=")?.dropLast(" UTC".count).replacing(" ", with: "T")
    let start = base.flatMap { Timestamp(iso8601: "\($0)Z") } ?? Timestamp(seconds: 0)
    let expressions = words.drop { $0 != "--" }.dropFirst()
    if expressions.isEmpty, words.last?.hasSuffix("Nowhere/Land") == true {
      return .init(errors: Array("Failed to parse\n".utf8), status: 1)
    }
    let sections = expressions.map { expression in
      let moments = elapses(of: expression, after: start, count: count)
      let lines = moments.enumerated().map { index, moment in
        let label = index == 0 ? "Next elapse" : "Iter. #\(index + 1)"
        return "    \(label): Mon \(moment.clock) UTC\n       From now: 1h left\n"
      }
      return "Normalized form: \(expression)\n"
        + (lines.isEmpty ? "    Next elapse: never\n" : lines.joined())
    }
    return .init(output: Array(sections.joined(separator: "\n").utf8), status: 0)
  }

  private static func elapses(of text: String, after start: Timestamp, count: Int) -> [Timestamp] {
    if let moment = Timestamp(iso8601: text.replacing(" ", with: "T") + "Z") {
      return moment > start ? [moment] : []
    }
    let fields = text.split(separator: " ").last?.split(separator: ":") ?? []
    guard fields.count == 3 else { return [] }
    // Without a number, all match.
    let (hours, minutes) = (numbers(of: fields[0]), numbers(of: fields[1]))
    var found: [Timestamp] = []
    var seconds = start.seconds / 60 * 60 + 60
    // Two years exceed every query in the tests.
    for _ in 0..<1_051_200 where found.count < count {
      let (hour, minute) = (seconds / 3600 % 24, seconds / 60 % 60)
      if minutes?.contains(minute) ?? true, hours?.contains(hour) ?? true {
        found.append(Timestamp(seconds: seconds))
      }
      seconds += 60
    }
    return found
  }

  private static func numbers(of field: Substring) -> Set<Int>? {
    field == "*" ? nil : Set(field.split(separator: ",").compactMap { Int($0) })
  }
}
