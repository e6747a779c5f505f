// SPDX-License-Identifier: MIT

package import EventLoop
package import OppiModel
package import OppiSystem
package import OppiTerminal
package import OppiText

/// The reader of standard output has closed it.
package struct OutputClosed: Error {
  package init() {}
}

/// The output streams: results go to standard output, all other messages to standard error.
///
/// Only this type depends on the form of the output. Long results are formatted off the loop.
package struct Output: Sendable {
  /// Writes all bytes to one of the streams.
  package typealias Write = @Sendable ([UInt8], StandardStream) async throws -> Void

  package let policy: OutputPolicy
  private let loop: EventLoop
  private let write: Write
  /// The members to print of each line of a stream; `nil` for the columns of the command.
  private let fields: ListFields?

  package init(
    policy: OutputPolicy,
    on loop: EventLoop,
    fields: ListFields? = nil,
    write: @escaping Write
  ) {
    self.policy = policy
    self.loop = loop
    self.fields = fields
    self.write = write
  }

  /// The same streams with other global options.
  package func with(_ options: GlobalOptions) -> Output {
    with(policy.with(options))
  }

  /// The same streams with another policy.
  func with(_ policy: OutputPolicy) -> Output {
    Output(policy: policy, on: loop, fields: fields, write: write)
  }

  /// The same streams that print only some members of each line of a stream.
  func choosing(_ fields: ListFields) -> Output {
    Output(policy: policy, on: loop, fields: fields, write: write)
  }

  /// The same streams whose lines go to a function, safe to show.
  func sending(to write: @escaping @Sendable (String) -> Void) -> Output {
    Output(policy: policy, on: loop) { bytes, _ in
      for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
        write(String(line).safeLine())
      }
    }
  }

  // MARK: - Results

  /// Prints a report in the current form, and then runs its `afterwards`.
  package func print(_ report: Report) async throws {
    do {
      try await put(report)
    } catch {
      await report.afterwards?()
      throw error
    }
    await report.afterwards?()
  }

  /// Prints a part of a stream; evaluates only the current form.
  package func print(
    _ documents: @autoclosure () -> [JSONValue],
    or lines: @autoclosure () -> [StyledText]
  ) async throws {
    switch (policy.form, fields) {
    case (.json, _): try await print(documents().map { $0.text() })
    case (.terminal, let fields?), (.pipe, let fields?):
      try await print(fields.table(of: documents()).tabSeparated())
    case (.terminal, nil), (.pipe, nil): try await print(lines().map(policy.theme.render))
    }
  }

  private func put(_ report: Report) async throws {
    do {
      switch policy.form {
      case .json:
        if let status = report.status { await detail(status.plain) }
        try await printAnswer(of: report)
      case .terminal, .pipe:
        if let status = report.status { await self.status(status) }
        try await printAnswer(of: report)
        await show(report.notes)
      }
    } catch let error as OppiError {
      throw error.adding(report.remark)
    }
  }

  /// The lines of a report's result, as they are printed.
  package func lines(of report: Report) -> [String] {
    let theme = report.theme ?? policy.theme
    let chosen = report.fields.map { Report.Text.table($0.table(of: report.documents)) }
    return switch policy.form {
    case .json: report.documents.map { $0.text() }
    case .terminal:
      lines(of: chosen ?? report.terminal, theme) { table in
        policy.accessible == nil
          ? table.aligned(width: policy.width, theme: theme) : table.records().map(theme.render)
      }
    case .pipe: lines(of: chosen ?? report.pipe, theme) { $0.tabSeparated() }
    }
  }

  private func lines(
    of text: Report.Text,
    _ theme: Theme,
    _ rows: (Table) -> [String]
  ) -> [String] {
    switch text {
    case .nothing: []
    case .lines(let lines): lines.map(theme.render)
    case .page(let lines): lines().map(theme.render)
    // Server text in these lines was escaped when they were made.
    case .bar(let lines): lines.map(\.text)
    case .text(let text): [text.safeBlock()]
    case .table(let table): rows(table())
    }
  }

  private func printAnswer(of report: Report) async throws {
    let bytes = try await loop.offload(ifLong: report.isLong) { Self.bytes(lines(of: report)) }
    if !bytes.isEmpty { try await write(bytes, .output) }
  }

  private func print(_ lines: [String]) async throws {
    if !lines.isEmpty { try await write(Self.bytes(lines), .output) }
  }

  /// The lines as bytes, each with a line break.
  private static func bytes(_ lines: [String]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(lines.reduce(0) { $0 + $1.utf8.count + 1 })
    for line in lines {
      bytes += line.utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    return bytes
  }

  // MARK: - Other messages

  /// Prints a status message, unless `--quiet` is given.
  package func status(_ line: StyledText) async {
    guard !policy.isQuiet else { return }
    await report(policy.folded(line).map(policy.errorTheme.render).joined(separator: "\n"))
  }

  /// Shows on a terminal for which servers the command waits, in a line that the next call replaces;
  /// no names remove it.
  ///
  /// Nothing is shown with `--quiet` and `--json`, or in a pipe.
  func waiting(for names: [String]) async {
    guard policy.form == .terminal, policy.destination.isErrorTerminal, !policy.isQuiet else {
      return
    }
    let words = names.map { $0.safeLine(limit: 80) }.joined(separator: ", ")
    let line = names.isEmpty ? StyledText() : StyledText("waiting for \(words)…", .dim)
    guard policy.canDraw else {
      if !names.isEmpty { await status(line) }
      return
    }
    // The last column stays free, so that the line does not wrap.
    let text = policy.errorTheme.render(line.truncated(to: policy.width - 1))
    try? await write(Array("\r\(text)\u{1B}[K\r".utf8), .errors)
  }

  /// Prints a prompt, which the user answers on the same line.
  func prompt(_ text: String) async {
    try? await write(Array(policy.errorTheme.render(StyledText(text)).utf8), .errors)
  }

  /// Prints a detail for troubleshooting, if `--verbose` is given.
  package func detail(_ text: @autoclosure () -> String) async {
    if policy.isVerbose { await report(policy.errorTheme.render(StyledText(text(), .dim))) }
  }

  /// Prints a warning about a problem that does not stop the command.
  package func warn(_ message: String) async {
    await report(policy.text(ofWarning: message))
  }

  package func report(_ error: OppiError) async {
    await report(policy.text(of: error))
  }

  private func show(_ notes: [Report.Note]) async {
    for note in notes {
      switch note {
      case .warning(let message): await warn(message)
      case .note(let text): await status(StyledText("note: \(text)"))
      case .hint(let text): await status(StyledText("  hint: \(text)"))
      }
    }
  }

  /// Ignores failures of standard error, which cannot be reported.
  private func report(_ text: String) async {
    try? await write(Array((text + "\n").utf8), .errors)
  }
}

extension Output {
  /// Writes to the process's own streams without blocking the loop.
  package static func standardStreams(on loop: EventLoop) -> Write {
    let (output, errors) = (OutputStream(.output), OutputStream(.errors))
    return { bytes, stream in
      do throws(OutputStream.Failure) {
        try await (stream == .errors ? errors : output).write(bytes, on: loop)
      } catch {
        throw error == .readerClosed ? OutputClosed() as any Error : OppiError(error)
      }
    }
  }
}

extension Output: Reporter {
  package func status(_ message: String) async { await status(StyledText(message)) }

  package func reason(of error: any Error) -> FailureReason {
    let error = OppiError(error)
    return FailureReason(code: error.code.rawValue, message: error.message)
  }
}
