// What a case of the GPU check found, as one line of JSON.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace pibench::cuda_check {

inline std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out + '"';
}

inline std::string number(double value) {
  char text[40];
  std::snprintf(static_cast<char*>(text), sizeof text, "%.6g", value);
  return static_cast<const char*>(text);
}

// Collects a line's fields in their order. `right` is false as soon as one check was wrong.
class Report {
 public:
  explicit Report(std::string name) : name_(std::move(name)) {}

  void that(bool right, const std::string& what) {
    ++checks_;
    if (!right) wrong_.push_back(what);
  }
  void skip(const std::string& why) { skipped_ = why; }
  void measured(const std::string& what, double value) { field(what, number(value)); }
  void named(const std::string& what, const std::string& text) { field(what, quoted(text)); }

  [[nodiscard]] bool right() const { return wrong_.empty() && (checks_ > 0 || !skipped_.empty()); }
  [[nodiscard]] std::string line() const {
    std::ostringstream out;
    out << "{\"case\":" << quoted(name_);
    if (!skipped_.empty()) {
      out << ",\"skipped\":" << quoted(skipped_) << '}';
      return out.str();
    }
    out << ",\"right\":" << (right() ? "true" : "false") << ",\"checks\":" << checks_;
    if (!wrong_.empty()) {
      out << ",\"wrong\":[";
      for (std::size_t i = 0; i < wrong_.size() && i < 5; ++i) out << (i > 0 ? "," : "") << quoted(wrong_[i]);
      out << ']';
    }
    out << fields_ << '}';
    return out.str();
  }

 private:
  // `json` is the value as it is written.
  void field(const std::string& what, const std::string& json) {
    fields_ += ',';
    fields_ += quoted(what);
    fields_ += ':';
    fields_ += json;
  }

  std::string name_, skipped_, fields_;
  std::vector<std::string> wrong_;
  int checks_ = 0;
};

}  // namespace pibench::cuda_check
