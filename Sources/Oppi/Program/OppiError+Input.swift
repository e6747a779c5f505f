// SPDX-License-Identifier: MIT

import OppiModel

/// Prompts and images that cannot be sent.
extension OppiError {
  static let emptyPrompt = OppiError(.badInput, "the prompt is empty")
  static let emptyInput = OppiError(.badInput, "standard input is empty; nothing was sent")
  static let promptWithNUL = OppiError(.badInput, "the prompt contains a NUL character")
  static let promptTooLarge = OppiError(
    .badInput,
    "the prompt with its images is larger than 16 MiB"
  )

  static func noSuchFile(_ path: String) -> OppiError {
    OppiError(.noInput, "no such file: \(path.safeLine())")
  }

  static func notUTF8(_ source: String) -> OppiError {
    OppiError(
      .badInput,
      "\(source) is not valid UTF-8",
      hints: ["convert it first, for example: iconv -f latin1 -t utf-8"]
    )
  }

  static func notAPicture(_ path: String) -> OppiError {
    OppiError(
      .badInput,
      "\(path.safeLine()) is not an image in a supported format",
      hints: ["supported formats: PNG, JPEG, GIF and WebP"]
    )
  }

  static func inputTimedOut(_ source: String) -> OppiError {
    OppiError(
      .waitTimedOut,
      "--timeout elapsed while reading \(source.safeLine()); nothing was sent"
    )
  }

  /// Images over a limit of the server.
  init(_ excess: ServerInfo.UploadLimits.Excess, server: String) {
    switch excess {
    case .file(let number, let size, let limit):
      self.init(
        .badInput,
        "image \(number) is too large for \(server): \(size) bytes, the limit is \(limit)"
      )
    case .turn(let size, let limit):
      self.init(
        .badInput,
        "the images are too large for \(server): \(size) bytes together, the limit is \(limit)",
        hints: ["send them with several prompts to one session: oppi ask -s last"]
      )
    }
  }
}
