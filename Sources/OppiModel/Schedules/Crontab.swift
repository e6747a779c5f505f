// SPDX-License-Identifier: MIT

import OppiText

/// A user's crontab with one block of this program; all other bytes are kept unchanged.
package struct Crontab: Sendable, Equatable {
  private static let begin = Array(
    "# BEGIN oppi schedule: written by 'oppi schedule', do not edit".utf8
  )
  private static let end = Array("# END oppi schedule".utf8)
  private static let lineFeed = UInt8(ascii: "\n")

  package private(set) var bytes: [UInt8]

  package init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// Replaces the lines of the block; adds the block at the end if missing, and removes it if there
  /// are no lines.
  ///
  /// - Throws: If the block was edited by hand and is inconsistent.
  package mutating func replaceBlock(with lines: [String]) throws(ScheduleError) {
    let block =
      lines.isEmpty
      ? []
      : ([Self.begin] + lines.map { Array($0.utf8) } + [Self.end]).flatMap { $0 + [Self.lineFeed] }
    if let range = try blockRange() {
      bytes.replaceSubrange(range, with: block)
    } else if !block.isEmpty {
      // Cron rejects a last line without a line feed.
      if let last = bytes.last, last != Self.lineFeed { bytes.append(Self.lineFeed) }
      bytes += block
    }
  }

  /// Returns the lines of the block that run a shortcut.
  ///
  /// - Throws: If the block was edited by hand and is inconsistent.
  package func lines(running name: String) throws(ScheduleError) -> [String] {
    guard let range = try blockRange() else { return [] }
    return Self.jobs(with: Self.words(running: name), in: bytes[range])
  }

  /// Whether any line of the crontab runs a shortcut's schedule.
  package func runs(_ name: String) -> Bool {
    !Self.jobs(with: Self.words(running: name), in: bytes[...]).isEmpty
  }

  /// Whether any line of the crontab delivers queued prompts.
  package var deliversPrompts: Bool {
    !Self.jobs(with: " outbox flush", in: bytes[...]).isEmpty
  }

  private static func words(running name: String) -> String { " run \(name) --scheduled" }

  private static func jobs(with words: String, in bytes: ArraySlice<UInt8>) -> [String] {
    lines(in: bytes)
      .filter { $0.contains(words) && !$0.drop(while: \.isWhitespace).hasPrefix("#") }
  }

  private static func lines(in bytes: ArraySlice<UInt8>) -> [String] {
    bytes.split(separator: lineFeed).map { String(decoding: text($0), as: UTF8.self) }
  }

  /// The range of the block, including the line feed of its last line.
  private func blockRange() throws(ScheduleError) -> Range<Int>? {
    var (begins, ends): ([Int], [Int]) = ([], [])
    var start = 0
    while start < bytes.count {
      let stop = bytes[start...].firstIndex(of: Self.lineFeed) ?? bytes.count
      let line = Self.text(bytes[start..<stop])
      if line.elementsEqual(Self.begin) { begins.append(start) }
      if line.elementsEqual(Self.end) { ends.append(min(stop + 1, bytes.count)) }
      start = stop + 1
    }
    if begins.isEmpty, ends.isEmpty { return nil }
    guard begins.count == 1, ends.count == 1, begins[0] < ends[0] else {
      throw ScheduleError(
        "the lines '# BEGIN oppi schedule' and '# END oppi schedule' do not match"
      )
    }
    for text in Self.lines(in: bytes[begins[0]..<ends[0]])
    where !text.isEmpty && !text.hasPrefix("#") && !text.contains("--scheduled") {
      throw ScheduleError("unexpected line '\(text.safeLine(limit: 80))' in the block of oppi")
    }
    return begins[0]..<ends[0]
  }

  /// A line without a carriage return, which some editors add.
  private static func text(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    line.last == UInt8(ascii: "\r") ? line.dropLast() : line
  }

  /// Returns a command line for a crontab, with percent signs escaped, because they would end it.
  ///
  /// `words` must not contain line breaks.
  package static func command(_ words: [String]) -> String {
    words.map { word in
      let isPlain =
        !word.isEmpty
        && word.utf8.allSatisfy { $0.isASCIIAlphanumeric || "/._-=+:@,".utf8.contains($0) }
      return isPlain ? word : "'\(word.replacing("'", with: #"'\''"#))'"
    }.joined(separator: " ").replacing("%", with: #"\%"#)
  }
}
