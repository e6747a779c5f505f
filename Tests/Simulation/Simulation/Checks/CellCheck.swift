// SPDX-License-Identifier: MIT

import CommandTable
import Oppi
import OppiText
import OppiWire

/// The checks that apply to every command under every fault.
struct CellCheck {
  let cell: Cell
  let form: Cell.Form
  let stage: Stage
  let world: World
  let program: Program

  private var invocation: Invocation { cell.invocation }

  private var fault: MatrixFault? { cell.strike?.fault }

  func check(_ outcome: Program.Outcome) async {
    let status = outcome.status ?? -1
    checkStatus(status)
    world.check(outcome.elapsed <= invocation.budget, "the program took \(outcome.elapsed)")
    checkText(outcome)
    checkErrors(outcome, status)
    FileCheck(world: world, program: program, hasOutbox: invocation.isQueued).check()
    if let prompt = invocation.prompt {
      PromptCheck(cell: cell, stage: stage, world: world, prompt: prompt)
        .check(outcome, status, form)
    }
    if invocation.isQueued {
      await QueueCheck(cell: cell, stage: stage, world: world).check(status)
    }
    await TruthCheck(cell: cell, stage: stage, world: world).check(outcome, status)
  }

  /// Checks that the status is listed in the command's help or allowed by the fault.
  private func checkStatus(_ status: Int32) {
    var allowed = OppiTable.tool.commands(along: invocation.command)?.last?.exitStatuses ?? []
    if fault?.name == "interrupt" { allowed.append(130) }
    // Any command may exit with 65 if the server rejects its request.
    if ["400", "409"].contains(fault?.name) { allowed.append(65) }
    if fault?.name == "disk full" { allowed += [73, 74] }
    world.check(allowed.contains(status), "status \(status) is not in the command's help")
    guard fault.map({ $0.weight == .harmless }) ?? true else { return }
    let endsToken = ["tokens end", "clock goes ahead"].contains(fault?.name)
    if invocation.getsToken, endsToken, invocation.dialect.credential == .deviceKey, status == 77 {
      return
    }
    world.check(status == 0, "status \(status) without a fault")
  }

  private func checkText(_ outcome: Program.Outcome) {
    let text = outcome.output + outcome.errors
    world.check(
      // A title may have a pictogram, whose form the variation selector chooses.
      text.unicodeScalars.allSatisfy { ["\n", "\t", "\u{FE0F}"].contains($0) || $0.isPrintable },
      "the output contains unprintable characters"
    )
    for server in stage.servers {
      let isTold = server.token.map(text.contains) ?? false
      world.check(!isTold, "the output contains the token of \(server.name)")
    }
    for prefix in ["dt_", "sk_", "pt_", "at_"] {
      world.check(!text.hasToken(prefix), "the output contains a token \(prefix)…")
    }
  }

  /// The prefixes of the lines that may accompany an error.
  private var remarks: [String] {
    invocation.command == ["follow"]
      ? ["connection lost (", "reconnected", "session ", "Session "]
      : ["the session has not started yet; "]
  }

  /// Checks that a failure has an error line for each target at most, and a success has none.
  private func checkErrors(_ outcome: Program.Outcome, _ status: Int32) {
    let lines = outcome.errors.split(separator: "\n")
    let errors =
      form == .json
      ? outcome.errorObjects.count
      : lines.count { $0.hasPrefix("oppi: ") && !$0.hasPrefix("oppi: warning: ") }
    if status == 0 {
      world.check(errors == 0, "status 0 with an error")
      return
    }
    let isQuiet = status == 130
    // An interrupt is explained only if something continues without the program, or cannot be
    // repeated.
    let isExplained = [
      "continues in session", "the prompt was delivered to session", "the invite is used up",
    ].contains { outcome.errors.contains($0) }
    world.check(errors == 0 || !isQuiet || isExplained, "an interrupt has an error message")
    world.check(errors <= invocation.targets, "\(errors) errors")
    world.check(errors > 0 || isQuiet, "status \(status) without a message")
    guard invocation.targets == 1, !isQuiet else { return }
    let told = form == .json ? ["{\"error\":", "{\"warning\":"] : ["oppi: ", "  hint: "]
    let rest = lines.filter { line in !(told + remarks).contains { line.hasPrefix($0) } }
    world.check(rest.isEmpty, "unexpected lines with the error: \(rest)")
  }
}

extension Program.Outcome {
  /// The error objects of `--json`.
  var errorObjects: [JSONValue] {
    errors.split(separator: "\n").compactMap { try? JSONValue(parsing: Array($0.utf8)) }
      .map(\.["error"]).filter { $0 != .null }
  }

  /// The documents of `--json`.
  var documents: [JSONValue] { lines.compactMap { try? JSONValue(parsing: Array($0.utf8)) } }

  /// The status, with the codes of the errors and the states of the documents.
  var verdict: String {
    let codes = errorObjects.compactMap(\.["code"].string)
    let states = documents.compactMap { document in
      switch document["type"].string {
      case nil: document["state"].string
      case "turn-finished"?: document["outcome"].string
      default: nil
      }
    }
    let words = Set(codes).sorted() + Set(states).sorted()
    return ([status.map(String.init) ?? "killed"] + words).joined(separator: " ")
  }
}

extension String {
  /// Whether the text contains the prefix with the characters of a token after it.
  fileprivate func hasToken(_ prefix: String) -> Bool {
    ranges(of: prefix).contains { range in
      let token = self[range.upperBound...].prefix(16)
      return token.count == 16 && token.utf8.allSatisfy(\.isOfToken)
    }
  }
}

extension UInt8 {
  fileprivate var isOfToken: Bool {
    switch self {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
