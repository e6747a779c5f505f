// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import Oppi

/// Every error type that the sources declare is converted to an `OppiError`, or listed as inner.
@Suite struct ErrorConversionTests {
  /// Errors that never reach a command, each with the reason.
  private static let inner = [
    "AnswerSchema.Defect": "its own words; the error names the file or the shortcut",
    "ArgumentValueError": "UsageError tells its message",
    "HTTPEncodingError": "TransportError holds it",
    "RequestReply.Mismatch": "OppiError tells it",
    "HTTPError": "TransportError holds it",
    "HandshakeError": "TransportError holds it",
    "ProtocolError": "TransportError holds it",
    "JSONError": "FileError holds it, and other senders are answered",
    "SharedLibrary.Failure": "TransportError and DesktopError tell it",
    "SystemSockets.LookupError": "TransportError holds its text",
    "ChatConsole.Broken": "'oppi chat' names the messages that were not sent",
    "ConsoleBoard.Failure": "its own words; the console shows them",
    "ChildProcess.Failure": "CredentialError holds it",
    "PromptTemplate.Failure": "OppiError tells it",
    "ScheduleError": "OppiError tells it",
    "ToolError": "SchedulerError holds it",
    "DesktopError": "its own words; who notifies goes on without",
  ]

  @Test("every error type has a message")
  func conversions() throws {
    let sources = URL.package.appending(path: "Sources")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
      .filter { $0.hasSuffix(".swift") }
    var conversions = ""
    var types: Set<String> = []
    for file in files {
      let text = try String(contentsOf: sources.appending(path: file), encoding: .utf8)
      if file.hasSuffix("/OppiProgram.swift") { conversions += text }
      if let start = text.range(of: "extension OppiError")?.lowerBound {
        conversions += text[start...]
      }
      for match in text.matches(of: #/( *)(?:\w+ )*(?:enum|struct) (\w+): (?:\w+, )*Error\b/#) {
        let owner = URL(filePath: file).deletingPathExtension().lastPathComponent
        types.insert(match.1.isEmpty ? String(match.2) : "\(owner).\(match.2)")
      }
    }
    #expect(types.contains("FileError") && types.contains("OutputStream.Failure"))
    for type in types.subtracting(Self.inner.keys) {
      let name = NSRegularExpression.escapedPattern(for: type)
      let isTold = conversions.range(
        of: "(: \(name)[,)]|(as|is) \(name)|\(name)\\.\\w+:)",
        options: .regularExpression
      )
      #expect(isTold != nil, "\(type)")
    }
  }
}
