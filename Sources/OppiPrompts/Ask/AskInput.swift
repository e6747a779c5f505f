// SPDX-License-Identifier: MIT

package import OppiClient
package import OppiModel
import OppiText

/// Reads the prompt and the images of the command line.
enum AskInput {
  static func prompt(_ options: Ask.Options, in context: Context) async throws -> String {
    var prompt: String
    if options.file == "-" || options.words.last == "-" {
      let input = try await standardInput(in: context)
      guard !input.allSatisfy(\.isWhitespace) else { throw OppiError.emptyInput }
      let isAlone = options.file == "-" || options.words.count == 1
      prompt = isAlone ? input : options.words.dropLast().joined(separator: " ") + "\n\n" + input
    } else if let file = options.file {
      let bytes = try await context.contents(of: file, limit: Prompt.messageLimit)
      prompt = try text(bytes, from: file.safeLine())
    } else {
      // At every start: the generic `joined` looks its types up at run time.
      prompt = options.words.dropFirst().reduce(options.words.first ?? "") { "\($0) \($1)" }
    }
    // A final line break belongs to the file, not to the prompt.
    if prompt.hasSuffix("\r\n") || prompt.hasSuffix("\n") { prompt.removeLast() }
    guard !prompt.allSatisfy(\.isWhitespace) else {
      throw OppiError(.badInput, "the prompt is empty")
    }
    guard !prompt.utf8.contains(0) else {
      throw OppiError(.badInput, "the prompt contains a NUL character")
    }
    return prompt
  }

  private static func standardInput(in context: Context) async throws -> String {
    try text(try await context.standardInput(limit: Prompt.messageLimit), from: "standard input")
  }

  /// Requires UTF-8: other bytes would reach the agent changed.
  private static func text(_ bytes: [UInt8], from source: String) throws(OppiError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw OppiError(
        .badInput,
        "\(source) is not valid UTF-8",
        hints: ["convert it first, for example: iconv -f latin1 -t utf-8"]
      )
    }
    return text
  }

  /// Warns of piped data that the command line does not use, because it seems to be sent.
  static func warnOfUnreadInput(_ options: Ask.Options, in context: Context) async {
    guard options.file != "-", options.words.last != "-", context.hasUnreadInput() else {
      return
    }
    await context.output.warn("standard input was ignored; add - to include it in the prompt")
  }

  static func images(
    _ options: Ask.Options,
    in context: Context
  ) async throws -> [ImageAttachment] {
    var images: [ImageAttachment] = []
    for path in options.images {
      let bytes = try await context.contents(of: path, limit: Prompt.messageLimit)
      images.append(try ImageAttachment(contents: bytes, of: path))
    }
    return images
  }

  /// Reads the schema for the answer; `nil` without a file.
  static func schema(_ file: String?, in context: Context) async throws -> AnswerSchema? {
    guard let file else { return nil }
    let bytes = try await context.contents(of: file, limit: AnswerSchema.sizeLimit)
    let json: JSONValue
    do {
      json = try JSONValue(parsing: bytes)
    } catch {
      throw OppiError(.badInput, "schema \(file.safeLine()) is not JSON: \(error)".safeLine())
    }
    do {
      return try AnswerSchema(json)
    } catch {
      throw OppiError(
        .badInput,
        "schema \(file.safeLine()) \(error.words)",
        hints: ["the supported keywords are listed by: oppi help checks"]
      )
    }
  }
}

extension ImageAttachment {
  /// Recognises the contents of a file that the user named.
  package init(contents: [UInt8], of file: String) throws(OppiError) {
    guard let image = ImageAttachment(data: contents) else {
      throw OppiError(
        .badInput,
        "\(file.safeLine()) is not an image in a supported format",
        hints: ["supported formats: PNG, JPEG, GIF and WebP"]
      )
    }
    self = image
  }
}

extension OppiError {
  static let emptyInput = OppiError(.badInput, "standard input is empty; nothing was sent")
}
