// SPDX-License-Identifier: MIT

import EventLoop
import OppiSystem
import OppiTerminal
import OppiText
import Testing

@testable import OppiClient
@testable import OppiTestSupport

@Suite struct ConsoleTests {
  private let output = WrittenBytes()
  private let errors = WrittenBytes()

  private func console(
    isTerminal: Bool = false,
    _ change: (inout GlobalOptions) -> Void = { _ in }
  ) throws -> Output {
    var options = GlobalOptions()
    change(&options)
    let destination = OutputPolicy.Destination(
      isOutputTerminal: isTerminal,
      isErrorTerminal: false,
      width: 20
    )
    let policy = OutputPolicy(options: options, environment: [:], destination: destination)
    return Output(policy: policy, on: try EventLoop()) { [output, errors] bytes, stream in
      (stream == .errors ? errors : output).append(bytes)
    }
  }

  private static let report = Report(
    ["name": "value"],
    .table(Table([[StyledText("name", .name), "a value of many columns"]])),
    status: "done",
    notes: [.warning("odd"), .hint("look")]
  )

  @Test("a terminal gets aligned columns, cut to its width")
  func eyes() async throws {
    try await console(isTerminal: true) { $0.color = .never }.print(Self.report)
    #expect(output.text == "name  a value of ma…\n")
    #expect(errors.text == "done\noppi: warning: odd\n  hint: look\n")
  }

  @Test("a pipe gets full values with tabs between them")
  func pipe() async throws {
    try await console().print(Self.report)
    #expect(output.text == "name\ta value of many columns\n")
    #expect(errors.text == "done\noppi: warning: odd\n  hint: look\n")
  }

  @Test("JSON has no notes on standard error, and the status only under --verbose")
  func json() async throws {
    try await console { $0.isJSON = true }.print(Self.report)
    #expect(output.text == "{\"name\":\"value\"}\n")
    #expect(errors.text.isEmpty)
    try await console {
      $0.isJSON = true
      $0.isVerbose = true
    }
    .print(Self.report)
    #expect(errors.text == "done\n")
  }

  @Test("with --json, a warning is a line of JSON with escaped characters")
  func warning() async throws {
    try await console().warn("odd")
    #expect(errors.text == "oppi: warning: odd\n")
    try await console { $0.isJSON = true }.warn("odd \"\u{1B}")
    let line = "{\"warning\":{\"message\":\"odd \\\"\\u001b\"}}"
    #expect(errors.text == "oppi: warning: odd\n\(line)\n")
  }

  @Test("--quiet omits the status and hints, but no warnings")
  func quiet() async throws {
    try await console { $0.isQuiet = true }.print(Self.report)
    #expect(output.text == "name\ta value of many columns\n")
    #expect(errors.text == "oppi: warning: odd\n")
  }

  @Test("an empty report prints no empty line", arguments: [true, false])
  func nothing(isJSON: Bool) async throws {
    try await console { $0.isJSON = isJSON }.print(.end())
    #expect(output.text.isEmpty && errors.text.isEmpty)
  }

  @Test("a report that cannot be written still has its remark in the error")
  func unwritten() async throws {
    var report = Self.report
    report.remark = OppiError.Remark(hint: "it was sent", details: ["sessionId": "s"])
    let policy = try console().policy
    let output = Output(policy: policy, on: try EventLoop()) { _, stream in
      if stream == .output { throw OppiError(.ioFailed, "no space left") }
    }
    let error = await #expect(throws: OppiError.self) { try await output.print(report) }
    #expect(error?.hints == ["it was sent"] && error?.details["sessionId"] == "s")
  }
}
