// SPDX-License-Identifier: MIT

import OppiModel

/// Prompts and pictures that cannot be sent.
extension OppiError {
  static let emptyPrompt = OppiError(.badInput, "the prompt is empty")
  static let promptWithNUL = OppiError(.badInput, "the prompt has a NUL character in it")
  static let promptTooLarge = OppiError(
    .badInput,
    "the prompt with its pictures is larger than 16 MiB as a message"
  )

  static func noSuchFile(_ path: String) -> OppiError {
    OppiError(.noInput, "no such file: \(path.safeLine())")
  }

  static func notUTF8(_ source: String) -> OppiError {
    OppiError(
      .badInput,
      "\(source) is not text in UTF-8",
      hints: ["convert it first, for example: iconv -f latin1 -t utf-8"]
    )
  }

  static func notAPicture(_ path: String) -> OppiError {
    OppiError(
      .badInput,
      "\(path.safeLine()) is not a picture that can be sent",
      hints: ["PNG, JPEG, GIF and WebP can"]
    )
  }

  /// `--timeout` passed while input was read.
  static func inputTimedOut(_ source: String) -> OppiError {
    OppiError(
      .waitTimedOut,
      "--timeout passed before \(source.safeLine()) had ended; nothing was sent"
    )
  }
}
